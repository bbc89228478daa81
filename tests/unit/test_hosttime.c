/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>
#include "hosttime.h"

static const char stat[] = "cpu  660237 89901 371216 1151872 4780 7 2405 20063 0 0\ncpu0 1 2 3\n";

Test(hosttime, takes_steal_and_interrupts_of_all_cpus)
{
	struct rec_hosttime t;

	cr_assert(rec_hosttime_parse(stat, strlen(stat), 10000000, &t));
	cr_assert_eq(t.steal_ns, 200630000000);
	cr_assert_eq(t.interrupt_ns, 24120000000);
}

Test(hosttime, a_line_that_is_cut_short_says_nothing)
{
	struct rec_hosttime t = { 1, 2 };

	for (size_t len = 0; len < strlen("cpu  660237 89901 371216 1151872 4780 7 2405 "); len++)
		cr_assert_not(rec_hosttime_parse(stat, len, 1, &t), "%zu", len);
	cr_assert_eq(t.steal_ns, 1);
	cr_assert_eq(t.interrupt_ns, 2);
}

Test(hosttime, steal_is_rounded_up_where_there_is_any)
{
	const struct rec_hosttime never = { 0, 0 }, before = { 30000000, 0 };

	cr_assert_eq(rec_hosttime_steal_ns(&never, &never), 0);
	cr_assert_gt(rec_hosttime_steal_ns(&before, &before), 0);
	cr_assert_lt(rec_hosttime_steal_ns(&before, &before), 100000000);
}

Test(hosttime, sums_that_go_back_are_no_time)
{
	const struct rec_hosttime before = { 30000000, 50000000 }, after = { 20000000, 40000000 };

	cr_assert_lt(rec_hosttime_steal_ns(&before, &after), 100000000);
	cr_assert_eq(rec_hosttime_interrupt_ns(&before, &after), 0);
	cr_assert_eq(rec_hosttime_interrupt_ns(&after, &before), 10000000);
}

Test(hosttime, a_tick_is_one_to_ten_milliseconds)
{
	cr_assert_geq(rec_tick_ns(), 1000000 - 1000);
	cr_assert_leq(rec_tick_ns(), 10000000 + 1000);
}
