/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "parse.h"

Test(parse, numbers_within_the_range_are_taken)
{
	uint64_t v = 0;

	cr_assert(!owt_parse_u64("0", 0, 10, &v));
	cr_assert_eq(v, 0);
	cr_assert(!owt_parse_u64("10", 0, 10, &v));
	cr_assert_eq(v, 10);
	cr_assert(!owt_parse_u64("18446744073709551615", 0, UINT64_MAX, &v));
	cr_assert_eq(v, UINT64_MAX);
	cr_assert(!owt_parse_u64("007", 0, 10, &v));
	cr_assert_eq(v, 7);
}

Test(parse, anything_but_digits_is_refused)
{
	static const char *const bad[] = {"",	" ",  "+1",   "-1",  " 1",
					  "1 ", "1x", "0x10", "1.0", "1\n"};
	uint64_t v = 7;

	for (size_t i = 0; i < OWT_ARRAY_SIZE(bad); i++)
		cr_assert_eq(owt_parse_u64(bad[i], 0, UINT64_MAX, &v), -EINVAL, "\"%s\"", bad[i]);
	cr_assert_eq(v, 7);
}

Test(parse, numbers_out_of_the_range_are_told_apart)
{
	uint64_t v = 7;

	cr_assert_eq(owt_parse_u64("11", 0, 10, &v), -ERANGE);
	cr_assert_eq(owt_parse_u64("0", 1, 10, &v), -ERANGE);
	cr_assert_eq(owt_parse_u64("18446744073709551616", 0, UINT64_MAX, &v), -ERANGE);
	cr_assert_eq(v, 7);
}

Test(parse, the_cursor_stops_behind_the_digits)
{
	const char *text = "7f3Ag0", *p = text, *end = text + strlen(text);
	uint64_t v = 0;

	cr_assert(!owt_take_u64(&p, end, 16, &v));
	cr_assert_eq(v, 0x7f3a);
	cr_assert_eq(p, text + 4);
	cr_assert_eq(owt_take_u64(&p, end, 16, &v), -EINVAL);
	cr_assert_eq(p, text + 4);
	p = text;
	cr_assert(!owt_take_u64(&p, text + 1, 10, &v));
	cr_assert_eq(v, 7);
	p = text;
	cr_assert_eq(owt_take_u64(&p, text, 10, &v), -EINVAL);
}
