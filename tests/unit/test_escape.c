/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "escape.h"

struct sample {
	enum rep_escape mode;
	const char *in;
	const char *out;
};

static char *escaped(enum rep_escape mode, const char *bytes, size_t len)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	rep_escape(f, mode, bytes, len);
	fclose(f);
	return text;
}

static void expect_all(const struct sample *samples, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++) {
		char *got = escaped(samples[i].mode, samples[i].in, strlen(samples[i].in));

		cr_expect_str_eq(got, samples[i].out, "sample %zu: got %s, expected %s", i, got,
				 samples[i].out);
		free(got);
	}
}

Test(escape, plain_text_comes_out_as_it_is)
{
	static const struct sample samples[] = {
		{REP_ESC_TEXT, "", ""},
		{REP_ESC_TEXT, "kworker/0:1 [a] -- ;", "kworker/0:1 [a] -- ;"},
		{REP_ESC_TEXT, "\xc3\xbcn\xc3\xaf \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\xa7",
		 "\xc3\xbcn\xc3\xaf \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x90\xa7"},
		{REP_ESC_FRAME, "operator-- ->x", "operator-- ->x"},
		{REP_ESC_LAST, "worker 12a", "worker 12a"},
	};

	expect_all(samples, OWT_ARRAY_SIZE(samples));
}

Test(escape, controls_become_codes)
{
	static const struct sample samples[] = {
		{REP_ESC_TEXT, "\x1b[2J\x07\t\r\n\x7f", "\\x1b[2J\\x07\\x09\\x0d\\x0a\\x7f"},
		{REP_ESC_TEXT, "\xc2\x85\xc2\x9b", "\\u{85}\\u{9b}"},
		{REP_ESC_TEXT, "\xe2\x80\xae\xe2\x81\xa6\xd8\x9c", "\\u{202e}\\u{2066}\\u{61c}"},
		{REP_ESC_TEXT, "\xe2\x80\x8b\xe2\x80\xa8\xe2\x80\xa9\xef\xbb\xbf",
		 "\\u{200b}\\u{2028}\\u{2029}\\u{feff}"},
		{REP_ESC_TEXT, "\xf3\xa0\x81\x81", "\\u{e0041}"},
	};

	expect_all(samples, OWT_ARRAY_SIZE(samples));
}

Test(escape, invalid_utf8_becomes_bytes)
{
	static const struct sample samples[] = {
		{REP_ESC_TEXT, "\xff\xfe", "\\xff\\xfe"},
		{REP_ESC_TEXT, "\x80z", "\\x80z"},
		{REP_ESC_TEXT, "\xc0\xaf", "\\xc0\\xaf"},
		{REP_ESC_TEXT, "\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
		{REP_ESC_TEXT, "\xed\xa0\x80", "\\xed\\xa0\\x80"},
		{REP_ESC_TEXT, "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"},
		{REP_ESC_TEXT, "a\xe2\x80", "a\\xe2\\x80"},
		{REP_ESC_TEXT, "\xe2(\xa1", "\\xe2(\\xa1"},
		{REP_ESC_TEXT, "\xc3", "\\xc3"},
	};

	expect_all(samples, OWT_ARRAY_SIZE(samples));
}

Test(escape, backslashes_are_doubled_so_that_codes_cannot_be_faked)
{
	static const struct sample samples[] = {
		{REP_ESC_TEXT, "\\x1b", "\\\\x1b"},
		{REP_ESC_FRAME, "\\", "\\\\"},
	};

	expect_all(samples, OWT_ARRAY_SIZE(samples));
}

Test(escape, folded_separators_come_only_from_us)
{
	static const struct sample samples[] = {
		{REP_ESC_FRAME, "a;b", "a\\x3bb"},
		{REP_ESC_FRAME, "-", "\\x2d"},
		{REP_ESC_FRAME, "--", "\\x2d-"},
		{REP_ESC_FRAME, "---", "---"},
		{REP_ESC_LAST, "worker 12", "worker\\x2012"},
		{REP_ESC_LAST, "v 1.5", "v\\x201.5"},
		{REP_ESC_LAST, "a 1 2", "a\\x201\\x202"},
		{REP_ESC_FRAME, "worker 12", "worker 12"},
	};

	expect_all(samples, OWT_ARRAY_SIZE(samples));
}

Test(escape, zero_bytes_inside_are_shown)
{
	char *got = escaped(REP_ESC_TEXT, "a\0b", 3);

	cr_expect_str_eq(got, "a\\x00b");
	free(got);
}

/* Every pair of bytes: what comes out is printable ASCII or well-formed UTF-8 of two bytes. */
Test(escape, no_pair_of_bytes_gets_a_control_out)
{
	unsigned a, b;

	for (a = 0; a < 256; a++)
		for (b = 0; b < 256; b++) {
			char in[2] = {(char)a, (char)b};
			char *got = escaped(REP_ESC_FRAME, in, 2), *p = got;

			for (; *p; p++)
				cr_assert(((unsigned char)*p >= 0x20 && *p != 0x7f && *p != ';'),
					  "%02x %02x", a, b);
			if (strpbrk(got, "\xc2"))
				cr_assert((unsigned char)strpbrk(got, "\xc2")[1] >= 0xa0,
					  "%02x %02x", a, b);
			free(got);
		}
}

Test(escape, json_strings_hold_what_text_shows)
{
	static const struct sample samples[] = {
		{REP_ESC_JSON, "plain ;", "plain ;"},
		{REP_ESC_JSON, "say \"\\\"", "say \\\"\\\\\\\\\\\""},
		{REP_ESC_JSON, "\x1b\n\x7f\xff", "\\\\x1b\\\\x0a\\\\x7f\\\\xff"},
		{REP_ESC_JSON, "\xe2\x80\xae\xc3\xbc", "\\\\u{202e}\xc3\xbc"},
	};

	expect_all(samples, OWT_ARRAY_SIZE(samples));
}

/* Every pair of bytes can be named by what is shown of it. */
Test(escape, what_is_shown_names_what_it_was)
{
	unsigned a, b;

	for (a = 0; a < 256; a++)
		for (b = 0; b < 256; b++) {
			char in[2] = {(char)a, (char)b};
			char *got = escaped(REP_ESC_TEXT, in, 2);

			if (a == REP_ESC_NAME_MARK && b == '[') {
				cr_assert_str_eq(got, "\\x5b", "a name's own bracket");
				free(got);
				continue;
			}
			cr_assert(rep_escape_is(got, strlen(got), in, 2), "%02x %02x", a, b);
			cr_assert_not(rep_escape_is(got, strlen(got), in, 1), "%02x %02x", a, b);
			free(got);
		}
	cr_expect(rep_escape_is("\\u{202e}x", 9, "\xe2\x80\xaex", 4));
	cr_expect(rep_escape_is("\\u{1f427}", 9, "\xf0\x9f\x90\xa7", 4));
	cr_expect(rep_escape_is("\\u{110000}", 10, "\\u{110000}", 10));
	cr_expect_not(rep_escape_is("a", 1, "ab", 2));
	cr_expect_not(rep_escape_is("ab", 2, "a", 1));
	cr_expect_not(rep_escape_is("\\x4", 3, "\x04", 1));
}
