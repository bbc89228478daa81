/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <time.h>
#include "ranges.h"

static void add(struct rec_ranges *r, uint64_t start, uint64_t end, uint32_t module)
{
	struct rec_range range = { .start = start, .end = end, .module = module };

	cr_assert_eq(rec_ranges_add(r, &range), 0);
}

static uint32_t module_at(const struct rec_ranges *r, uint64_t addr)
{
	const struct rec_range *found = rec_ranges_find(r, addr);

	return found ? found->module : 0;
}

Test(ranges, ends_are_exclusive)
{
	struct rec_ranges r = { .cnt = 0 };

	add(&r, 100, 200, 1);
	cr_expect_eq(module_at(&r, 99), 0);
	cr_expect_eq(module_at(&r, 100), 1);
	cr_expect_eq(module_at(&r, 199), 1);
	cr_expect_eq(module_at(&r, 200), 0);
	rec_ranges_done(&r);
}

Test(ranges, the_newest_mapping_wins)
{
	struct rec_ranges r = { .cnt = 0 };

	add(&r, 100, 300, 1);
	add(&r, 200, 250, 2);
	cr_expect_eq(module_at(&r, 150), 1);
	cr_expect_eq(module_at(&r, 220), 2);
	add(&r, 100, 300, 3);
	cr_expect_eq(module_at(&r, 220), 3, "another file at the same place");
	rec_ranges_done(&r);
}

Test(ranges, what_is_known_is_not_added_again)
{
	struct rec_ranges r = { .cnt = 0 };

	add(&r, 100, 200, 1);
	add(&r, 300, 400, 2);
	add(&r, 100, 200, 1);
	cr_expect_eq(r.cnt, 2);
	add(&r, 150, 160, 3);
	add(&r, 100, 200, 1);
	cr_expect_eq(r.cnt, 4, "mapped again over something else");
	cr_expect_eq(module_at(&r, 155), 1);
	rec_ranges_done(&r);
}

Test(ranges, a_copy_is_its_own_and_unwritten)
{
	struct rec_ranges a = { .cnt = 0 }, b = { .cnt = 0 };

	add(&a, 100, 200, 1);
	a.items[0].written = true;
	cr_assert_eq(rec_ranges_copy(&b, &a), 0);
	add(&a, 100, 200, 2);
	cr_expect_eq(module_at(&b, 100), 1);
	cr_expect_not(b.items[0].written);
	add(&b, 500, 600, 3);
	cr_expect_eq(module_at(&a, 500), 0);
	rec_ranges_done(&a);
	rec_ranges_done(&b);
}

Test(ranges, a_process_cannot_make_them_without_end)
{
	struct rec_ranges r = { .cnt = 0 };
	int ret = 0;

	for (uint64_t i = 0; i < 100000 && !ret; i++) {
		struct rec_range range = { .start = 10, .end = 20 + i };

		ret = rec_ranges_add(&r, &range);
	}
	cr_expect_lt(ret, 0);
	cr_expect_leq(r.cnt, 16384);
	rec_ranges_done(&r);
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	cr_assert_eq(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts), 0);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The CPU time to add so many, one behind the other, as /proc/PID/maps lists them. */
static uint64_t ascending_ns(uint64_t cnt)
{
	struct rec_ranges r = { .cnt = 0 };
	uint64_t begin_ns = cpu_ns(), took_ns;

	for (uint64_t i = 0; i < cnt; i++)
		add(&r, 0x10000 * (i + 1), 0x10000 * (i + 1) + 0x1000, 1);
	took_ns = cpu_ns() - begin_ns;
	cr_expect_eq(r.cnt, cnt);
	cr_expect_eq(module_at(&r, 0x10000 * cnt), 1);
	rec_ranges_done(&r);
	return took_ns;
}

Test(ranges, the_time_to_add_them_grows_with_their_count_only)
{
	uint64_t few_ns = ascending_ns(4000), many_ns = ascending_ns(16000);

	/* Four times as many; sixteen times the time if each addition looked at all. */
	cr_expect_lt(many_ns, 8 * few_ns + 2000000, "%llu ns, then %llu ns",
		     (unsigned long long)few_ns, (unsigned long long)many_ns);
	cr_expect_lt(many_ns, 1000000000, "%llu ns", (unsigned long long)many_ns);
}
