/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "maps.h"

static struct rep_budget budget = {.limit = 16 << 20};

/* The index of the mapping found, -1 for none. */
static long found(struct rep_maps *maps, const struct rep_trace *t, uint32_t tgid, uint64_t addr)
{
	const struct owt_mapping *m;

	cr_assert_eq(rep_maps_find(maps, (struct rep_image){ .tgid = tgid }, addr, &m), 0);
	return m ? m - t->mappings : -1;
}

Test(maps, the_later_of_overlapping_mappings_wins)
{
	const struct owt_process processes[] = {{0}, {.tgid = 7}};
	const struct owt_mapping mappings[] = {
		{1, 0, 100, 900, 0},
		{1, 0, 300, 500, 0},
		{1, 0, 400, 600, 0},
		{1, 0, 950, 960, 0},
	};
	const struct rep_trace t = {
		.processes = processes, .process_cnt = 2, .mappings = mappings, .mapping_cnt = 4};
	const long expected[][2] = {{99, -1}, {100, 0}, {299, 0}, {300, 1},  {399, 1}, {400, 2},
				    {599, 2}, {600, 0}, {899, 0}, {900, -1}, {955, 3}, {960, -1}};
	struct rep_maps *maps = rep_maps_new(&t, &budget);
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(expected); i++)
		cr_expect_eq(found(maps, &t, 7, (uint64_t)expected[i][0]), expected[i][1],
			     "address %ld", expected[i][0]);
	cr_expect_eq(found(maps, &t, 8, 100), -1);
	rep_maps_free(maps);
}

Test(maps, the_newest_image_that_has_the_address_wins)
{
	const struct owt_process processes[] = {{0}, {.tgid = 7}, {.tgid = 9}, {.tgid = 7}};
	const struct owt_mapping mappings[] = {
		{1, 0, 100, 300, 0},
		{2, 0, 100, 300, 0},
		{3, 0, 200, 400, 0},
	};
	const struct rep_trace t = {
		.processes = processes, .process_cnt = 4, .mappings = mappings, .mapping_cnt = 3};
	struct rep_maps *maps = rep_maps_new(&t, &budget);

	cr_expect_eq(found(maps, &t, 7, 150), 0);
	cr_expect_eq(found(maps, &t, 7, 250), 2);
	cr_expect_eq(found(maps, &t, 9, 250), 1);
	rep_maps_free(maps);
}

/* Against the obvious search, over random overlapping mappings. */
Test(maps, agrees_with_a_linear_search)
{
	struct owt_process processes[] = {{0}, {.tgid = 1}};
	struct owt_mapping mappings[60];
	struct rep_trace t = {.processes = processes, .process_cnt = 2, .mappings = mappings};
	unsigned round;
	size_t i;

	srand(4711);
	for (round = 0; round < 200; round++) {
		struct rep_maps *maps;
		uint64_t addr;

		t.mapping_cnt = (size_t)rand() % 60;
		for (i = 0; i < t.mapping_cnt; i++) {
			uint64_t start = (uint64_t)rand() % 200;

			mappings[i] = (struct owt_mapping){1, 0, start,
							   start + 1 + (uint64_t)rand() % 50, 0};
		}
		maps = rep_maps_new(&t, &budget);
		for (addr = 0; addr < 260; addr++) {
			long expected = -1;

			for (i = 0; i < t.mapping_cnt; i++)
				if (addr >= mappings[i].start && addr < mappings[i].end)
					expected = (long)i;
			cr_assert_eq(found(maps, &t, 1, addr), expected, "round %u address %lu",
				     round, (unsigned long)addr);
		}
		rep_maps_free(maps);
	}
	cr_expect_eq(budget.used, 0);
}
