/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include "bounds.h"

static int counts(__u64 ns, __u64 min_us, __u64 max_us)
{
	return ow_is_within(ns, ow_shortest_ns(min_us), ow_longest_ns(max_us));
}

Test(bounds, both_ends_are_inclusive_in_whole_microseconds)
{
	cr_expect(counts(5000000, 5000, 5000));
	cr_expect(counts(5000999, 5000, 5000));
	cr_expect_not(counts(4999999, 5000, 5000));
	cr_expect_not(counts(5001000, 5000, 5000));
}

Test(bounds, one_end_leaves_the_other_open)
{
	cr_expect(counts(~0ULL, 5000, ~0ULL));
	cr_expect(counts(0, 0, 5000));
	cr_expect_not(counts(999, 1, ~0ULL));
}

Test(bounds, what_64_bits_of_nanoseconds_cannot_hold_saturates)
{
	cr_expect_eq(ow_shortest_ns(OW_US_MAX), OW_US_MAX * 1000);
	cr_expect_eq(ow_shortest_ns(OW_US_MAX + 1), ~0ULL);
	cr_expect_eq(ow_longest_ns(OW_US_MAX - 1), OW_US_MAX * 1000 - 1);
	cr_expect_eq(ow_longest_ns(OW_US_MAX), ~0ULL);
	cr_expect_eq(ow_longest_ns(~0ULL), ~0ULL);
}
