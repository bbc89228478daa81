/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include "comms.h"

static void expect_text(const char *list, const char *text)
{
	struct rec_comms comms = { 0 };
	char *found;

	cr_assert_eq(rec_comms_add(&comms, list), 0);
	cr_assert_eq(rec_comms_text(&comms, &found), 0);
	cr_expect_str_eq(found, text);
	free(found);
	rec_comms_done(&comms);
}

Test(comms, takes_a_list)
{
	struct rec_comms comms = { 0 };

	cr_assert_eq(rec_comms_add(&comms, "postgres,kworker/*"), 0);
	cr_assert_eq(rec_comms_add(&comms, "a b"), 0);
	cr_assert_eq(comms.cnt, 3);
	cr_expect_str_eq(comms.items[0].name, "postgres");
	cr_expect_eq(comms.items[0].len, 8);
	cr_expect_not(comms.items[0].is_prefix);
	cr_expect_str_eq(comms.items[1].name, "kworker/");
	cr_expect(comms.items[1].is_prefix);
	cr_expect_str_eq(comms.items[2].name, "a b");
	rec_comms_done(&comms);
	cr_expect_eq(comms.cnt, 0);
}

Test(comms, keeps_what_the_kernel_keeps)
{
	struct rec_comms comms = { 0 };

	cr_assert_eq(rec_comms_add(&comms, "123456789abcdef,123456789abcdefg,123456789abcdef*,"
					   "123456789abcdefg*"),
		     0);
	cr_assert_eq(comms.cnt, 4);
	for (size_t i = 0; i < comms.cnt; i++) {
		cr_expect_str_eq(comms.items[i].name, "123456789abcdef");
		cr_expect_eq(comms.items[i].len, REC_COMM_MAX);
		cr_expect_eq(comms.items[i].is_prefix, i == 2);
		cr_expect_eq(comms.items[i].is_cut, i % 2 == 1);
	}
	rec_comms_done(&comms);
}

Test(comms, bytes_behind_a_name_are_zero)
{
	struct rec_comms comms = { 0 };

	cr_assert_eq(rec_comms_add(&comms, "a*"), 0);
	for (size_t i = 1; i < sizeof(comms.items->name); i++)
		cr_expect_eq(comms.items->name[i], 0);
	rec_comms_done(&comms);
}

Test(comms, refuses_an_empty_name)
{
	static const char *const lists[] = { "", ",", "a,", ",a", "a,,b" };

	for (size_t i = 0; i < OWT_ARRAY_SIZE(lists); i++) {
		struct rec_comms comms = { 0 };

		cr_expect_eq(rec_comms_add(&comms, lists[i]), -EINVAL, "%s", lists[i]);
		rec_comms_done(&comms);
	}
}

Test(comms, is_told_as_it_is_compared)
{
	expect_text("a", "a");
	expect_text("a*,b c,*", "a*,b c,*");
	expect_text("123456789abcdefg*,x", "123456789abcdef,x");
}
