/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "kallsyms.h"

static struct rec_kallsyms *parse(const char *text)
{
	struct rec_kallsyms *k = NULL;

	cr_assert_eq(rec_kallsyms_parse(strdup(text), strlen(text), &k), 0);
	return k;
}

Test(kallsyms, keeps_text_symbols_in_order_of_address)
{
	struct rec_kallsyms *k = parse("ffffffff81000200 T second\n"
				       "ffffffff81000100 t first\n"
				       "ffffffff81000150 D data\n"
				       "ffffffffc0000000 t mod_fn\t[ext4]\n");

	cr_assert_eq(rec_kallsyms_cnt(k), 3);
	cr_expect_str_eq(rec_kallsyms_at(k, 0)->name, "first");
	cr_expect_str_eq(rec_kallsyms_at(k, 1)->name, "second");
	cr_expect_str_eq(rec_kallsyms_at(k, 2)->name, "mod_fn");
	cr_expect_str_eq(rec_kallsyms_at(k, 2)->module, "ext4");
	cr_expect_str_empty(rec_kallsyms_at(k, 0)->module);
	rec_kallsyms_free(k);
}

Test(kallsyms, finds_a_kernel_symbol_and_its_end)
{
	struct rec_kallsyms *k = parse("1000 T a\n1000 T a_alias\n2000 T b\n3000 T b\t[mod]\n");
	uint64_t start, end;

	cr_assert(rec_kallsyms_find(k, "a", &start, &end));
	cr_expect_eq(start, 0x1000);
	cr_expect_eq(end, 0x2000, "an alias at the same address does not end it");
	cr_assert(rec_kallsyms_find(k, "b", &start, &end));
	cr_expect_eq(start, 0x2000, "not the module's");
	cr_expect_not(rec_kallsyms_find(k, "c", &start, &end));
	rec_kallsyms_free(k);
}

Test(kallsyms, covers_an_address_by_the_symbol_before_it)
{
	struct rec_kallsyms *k = parse("1000 T a\n2000 T b\n");

	cr_expect_null(rec_kallsyms_cover(k, 0xfff));
	cr_expect_str_eq(rec_kallsyms_cover(k, 0x1000)->name, "a");
	cr_expect_str_eq(rec_kallsyms_cover(k, 0x1fff)->name, "a");
	cr_expect_str_eq(rec_kallsyms_cover(k, UINT64_MAX)->name, "b");
	rec_kallsyms_free(k);
}

Test(kallsyms, skips_lines_of_another_shape)
{
	struct rec_kallsyms *k = parse("\n\n garbage\n1000\n1000 \n1000 T\n1000 T \nzz T x\n"
				       "11111111111111111 T too_long\n2000 T good\n3000 T cut");

	cr_assert_eq(rec_kallsyms_cnt(k), 1);
	cr_expect_str_eq(rec_kallsyms_at(k, 0)->name, "good");
	rec_kallsyms_free(k);
}

Test(kallsyms, hidden_addresses_are_no_symbols)
{
	const char *text = "0000000000000000 T a\n0000000000000000 T b\n";
	struct rec_kallsyms *k = NULL;

	cr_expect_eq(rec_kallsyms_parse(strdup(text), strlen(text), &k), -ENODATA);
	cr_expect_eq(rec_kallsyms_parse(strdup(""), 0, &k), -ENODATA);
	cr_expect_null(k);
}
