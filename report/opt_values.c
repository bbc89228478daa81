/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include "opt_values.h"
#include "parse.h"

#define NS_PER_S 1000000000ull

int rep_take_word(const char *word, size_t len, const char *const *words, size_t cnt,
		  unsigned *out_index)
{
	unsigned i;

	for (i = 0; i < cnt; i++)
		if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0) {
			*out_index = i;
			return 0;
		}
	return -EINVAL;
}

int rep_parse_seconds(const char *text, uint64_t *out_ns)
{
	const char *p = text, *end = text + strlen(text), *point = strchr(text, '.');
	uint64_t seconds = 0, unit = NS_PER_S / 10, ns;

	if (p == end || point == end - 1)
		return -EINVAL;
	if (p != point && owt_take_u64(&p, point ? point : end, 10, &seconds))
		return -EINVAL;
	if (p != (point ? point : end))
		return -EINVAL;
	if (__builtin_mul_overflow(seconds, NS_PER_S, &ns))
		return -ERANGE;
	for (p = point ? point + 1 : end; p < end; p++, unit /= 10) {
		if (*p < '0' || *p > '9' || unit == 0)
			return -EINVAL;
		if (__builtin_add_overflow(ns, unit * (uint64_t)(*p - '0'), &ns))
			return -ERANGE;
	}
	*out_ns = ns;
	return 0;
}
