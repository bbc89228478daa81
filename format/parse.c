/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include "parse.h"

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

int owt_take_u64(const char **pos, const char *end, unsigned base, uint64_t *out)
{
	const char *p = *pos;
	uint64_t value = 0;

	for (; p < end && digit_of(*p) < base; p++)
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_of(*p), &value))
			return -EINVAL;
	if (p == *pos)
		return -EINVAL;
	*pos = p;
	*out = value;
	return 0;
}

int owt_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	const char *p = text, *end = text + strlen(text);
	uint64_t value;

	if (p == end || end - p != (ptrdiff_t)strspn(text, "0123456789"))
		return -EINVAL;
	if (owt_take_u64(&p, end, 10, &value) || value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}
