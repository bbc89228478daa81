/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "escape.h"

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
	if (mode == REP_ESC_TEXT)
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
	       !is_special(mode, bytes, len, i + n))
		n++;
	return n;
}

void rep_escape(FILE *out, enum rep_escape mode, const char *bytes, size_t len)
{
	const unsigned char *p = (const unsigned char *)bytes;
	size_t i, n;
	uint32_t cp;

	for (i = 0; i < len; i += n ? n : 1) {
		n = plain_run(mode, bytes, len, i);
		if (n) {
			fwrite(p + i, 1, n, out);
			continue;
		}
		n = decode(p + i, len - i, &cp);
		if (n == 0 || is_special(mode, bytes, len, i))
			fprintf(out, "\\x%02x", p[i]);
		else if (p[i] == '\\')
			fputs("\\\\", out);
		else if (is_hidden(cp))
			fprintf(out, "\\u{%x}", cp);
		else
			fwrite(p + i, 1, n, out);
	}
}
