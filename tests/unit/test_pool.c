/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "pool.h"

Test(pool, equal_bytes_get_one_dense_id)
{
	struct rep_budget budget = {.limit = 1 << 20};
	struct rep_pool *pool = rep_pool_new(&budget);
	uint32_t a, b, c, empty;
	size_t len;

	cr_assert_eq(rep_pool_put(pool, "one", 3, &a), 0);
	cr_assert_eq(rep_pool_put(pool, "two", 3, &b), 0);
	cr_assert_eq(rep_pool_put(pool, "one", 3, &c), 0);
	cr_assert_eq(rep_pool_put(pool, "", 0, &empty), 0);
	cr_expect_eq(a, 1);
	cr_expect_eq(b, 2);
	cr_expect_eq(c, a);
	cr_expect_eq(empty, 3);
	cr_expect_eq(rep_pool_cnt(pool), 3);
	cr_expect_str_eq(rep_pool_get(pool, b, &len), "two");
	cr_expect_eq(len, 3);
	rep_pool_free(pool);
	cr_expect_eq(budget.hit, false);
}

Test(pool, many_stay_where_they_are_while_it_grows)
{
	struct rep_budget budget = {.limit = 64 << 20};
	struct rep_pool *pool = rep_pool_new(&budget);
	const void *first;
	uint32_t id, i;
	size_t len;
	char text[16];

	cr_assert_eq(rep_pool_put(pool, "first", 5, &id), 0);
	first = rep_pool_get(pool, id, &len);
	for (i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "%u", i);
		cr_assert_eq(rep_pool_put(pool, text, strlen(text), &id), 0);
		cr_assert_eq(id, i + 2);
	}
	for (i = 0; i < 20000; i++) {
		snprintf(text, sizeof(text), "%u", i);
		cr_assert_eq(rep_pool_find(pool, text, strlen(text)), i + 2);
	}
	cr_expect_eq(rep_pool_find(pool, "20000", 5), 0);
	cr_expect_eq(rep_pool_get(pool, 1, &len), first);
	rep_pool_free(pool);
}

Test(pool, the_budget_ends_it)
{
	struct rep_budget budget = {.limit = 100000};
	struct rep_pool *pool = rep_pool_new(&budget);
	char block[4096];
	uint32_t id, cnt = 0;
	int rc = 0;

	while (rc == 0 && cnt < 1000) {
		memset(block, 0, sizeof(block));
		memcpy(block, &cnt, sizeof(cnt));
		rc = rep_pool_put(pool, block, sizeof(block), &id);
		cnt += rc == 0;
	}
	cr_expect_eq(rc, -ENOMEM);
	cr_expect(budget.hit);
	cr_expect(cnt > 0 && cnt < 25, "%u", cnt);
	cr_expect_leq(budget.used, budget.limit);
	rep_pool_free(pool);
}
