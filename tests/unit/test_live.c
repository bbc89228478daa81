/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include "live.h"

Test(live, the_rate_is_that_since_the_line_before)
{
	struct rec_live_facts last = {.elapsed_ns = 1000000000, .switches = 100};
	struct rec_live_facts now = {.elapsed_ns = 3000000000,
				     .switches = 5100,
				     .rows = 7,
				     .stacks = 8,
				     .lost = 9,
				     .bytes = 1572864};
	char line[160];

	rec_live_format(&last, &now, line, sizeof(line));
	cr_expect_str_eq(line, "3 s  2500 switches/s  7 rows  8 stacks  9 lost  1.5 MiB");
	rec_live_format(&now, &now, line, sizeof(line));
	cr_expect_str_eq(line, "3 s  0 switches/s  7 rows  8 stacks  9 lost  1.5 MiB");
}

Test(live, is_silent_until_it_is_switched_on)
{
	struct rec_live off = {0};

	cr_expect_not(rec_live_is_due(&off, UINT64_MAX));
	rec_live_begin(&off, false, 0);
	cr_expect_not(rec_live_is_due(&off, UINT64_MAX));
}
