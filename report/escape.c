/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "escape.h"
#include "parse.h"

struct range {
	uint32_t first, last;
};

/* Code points that are invisible or change how their neighbours are shown. */
static const struct range hidden[] = {
	{0x80, 0x9f},	    {0xad, 0xad},	{0x34f, 0x34f},	    {0x61c, 0x61c},
	{0x115f, 0x1160},   {0x17b4, 0x17b5},	{0x180b, 0x180f},   {0x200b, 0x200f},
	{0x2028, 0x202e},   {0x2060, 0x206f},	{0x3164, 0x3164},   {0xfe00, 0xfe0f},
	{0xfeff, 0xfeff},   {0xffa0, 0xffa0},	{0xfff0, 0xfffb},   {0xfffe, 0xffff},
	{0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

static bool is_hidden(uint32_t cp)
{
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(hidden); i++)
		if (cp >= hidden[i].first && cp <= hidden[i].last)
			return true;
	return false;
}

/* The length of the UTF-8 sequence at p and its code point; 0 when it is not one. */
static size_t decode(const unsigned char *p, size_t len, uint32_t *out_cp)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2, i;
	uint32_t cp = n == 1 ? p[0] : p[0] & (0x7fu >> n);

	if ((p[0] >= 0x80 && p[0] < 0xc2) || p[0] > 0xf4 || n > len)
		return 0;
	for (i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		cp = cp << 6 | (p[i] & 0x3f);
	}
	if (cp < smallest[n] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	*out_cp = cp;
	return n;
}

/* True for a blank with a number and nothing else behind it. */
static bool hides_value(const char *p, size_t len)
{
	size_t i;

	if (*p != ' ' || len < 2)
		return false;
	for (i = 1; i < len; i++)
		if (!strchr("0123456789. ", p[i]) || !p[i])
			return false;
	return true;
}

static bool is_special(enum rep_escape mode, const char *bytes, size_t len, size_t i)
{
	unsigned char c = (unsigned char)bytes[i];

	if (c < 0x20 || c == 0x7f)
		return true;
	if (mode == REP_ESC_TEXT || mode == REP_ESC_JSON)
		return false;
	if (c == ';' || (c == '-' && i == 0 && (len == 1 || (len == 2 && bytes[1] == '-'))))
		return true;
	return mode == REP_ESC_LAST && hides_value(bytes + i, len - i);
}

/* How many bytes from i on are printable ASCII that needs no escape. */
static size_t plain_run(enum rep_escape mode, const char *bytes, size_t len, size_t i)
{
	size_t n = 0;

	while (i + n < len && bytes[i + n] >= 0x20 && bytes[i + n] < 0x7f && bytes[i + n] != '\\' &&
	       !(bytes[i + n] == '"' && mode == REP_ESC_JSON) &&
	       !is_special(mode, bytes, len, i + n))
		n++;
	return n;
}

void rep_escape(FILE *out, enum rep_escape mode, const char *bytes, size_t len)
{
	const unsigned char *p = (const unsigned char *)bytes;
	const char *backslash = mode == REP_ESC_JSON ? "\\\\" : "\\";
	size_t i = 0, n;
	uint32_t cp;

	if (len > 1 && bytes[0] == REP_ESC_NAME_MARK && bytes[1] == '[') {
		fprintf(out, "%sx5b", backslash);
		i = 2;
	}
	for (; i < len; i += n ? n : 1) {
		n = plain_run(mode, bytes, len, i);
		if (n) {
			fwrite(p + i, 1, n, out);
			continue;
		}
		n = decode(p + i, len - i, &cp);
		if (n == 0 || is_special(mode, bytes, len, i))
			fprintf(out, "%sx%02x", backslash, p[i]);
		else if (p[i] == '\\')
			fprintf(out, "%s%s", backslash, backslash);
		else if (p[i] == '"' && mode == REP_ESC_JSON)
			fputs("\\\"", out);
		else if (is_hidden(cp))
			fprintf(out, "%su{%x}", backslash, cp);
		else
			fwrite(p + i, 1, n, out);
	}
}

static size_t encode(uint32_t cp, char out[4])
{
	size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4, i;

	for (i = n; i-- > 1; cp >>= 6)
		out[i] = (char)(0x80 | (cp & 0x3f));
	out[0] = (char)(n == 1 ? cp : (0xf00u >> n & 0xff) | cp);
	return n;
}

/* Takes one escape, or one byte that is none, from *p: the bytes it stands for. */
static size_t undo(const char **p, const char *end, char out[4])
{
	const char *at = *p, *digits_end = end;
	bool braces = end - at > 3 && memcmp(at, "\\u{", 3) == 0;
	uint64_t code;

	out[0] = *(*p)++;
	if (end - at > 1 && memcmp(at, "\\\\", 2) == 0)
		++*p;
	if (!braces && (end - at < 4 || memcmp(at, "\\x", 2) != 0))
		return 1;
	at += braces ? 3 : 2;
	if (!braces)
		digits_end = at + 2;
	if (owt_take_u64(&at, digits_end, 16, &code) || code > 0x10ffff ||
	    (braces ? at == end || *at != '}' : at != digits_end))
		return 1;
	*p = at + braces;
	if (braces)
		return encode((uint32_t)code, out);
	out[0] = (char)code;
	return 1;
}

bool rep_escape_is(const char *text, size_t text_len, const char *bytes, size_t len)
{
	const char *p = text, *end = text + text_len;
	size_t at = 0, n;
	char out[4];

	if (text_len == len && memcmp(text, bytes, len) == 0)
		return true;
	for (; p < end; at += n) {
		n = undo(&p, end, out);
		if (n > len - at || memcmp(out, bytes + at, n) != 0)
			return false;
	}
	return at == len;
}
