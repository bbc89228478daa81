/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
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
	cr_expect_leq(r.cnt, 65536);
	rec_ranges_done(&r);
}
