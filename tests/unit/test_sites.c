/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>
#include "sites.h"

#define TEXT(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

static const struct owt_string strings[] = { TEXT(""), TEXT("app"), TEXT("/opt/app"),
					     TEXT("/lib/libwork.so"), TEXT("/lib/libc.so.6") };
static const struct owt_thread threads[] = { { 0 }, { 10, 10, 1 } };
static const struct owt_module modules[] = { { 0 }, { .path = 2 }, { .path = 3 }, { .path = 4 } };
static const struct owt_mapping mappings[] = { { 1, 1, 0x1000, 0x2000, 0 },
					       { 1, 2, 0x2000, 0x3000, 0 },
					       { 1, 3, 0x3000, 0x4000, 0 } };
static const struct owt_ksym ksyms[] = { { 0x1000, 'T', TEXT("schedule_timeout"), TEXT("") },
					 { 0x2000, 'T', TEXT("pipe_read"), TEXT("") } };

/* User: 1 app, 2 lib in app, 3 libc in lib in app, 4 libc, 5 nowhere. Kernel: 6 in 7. */
static const struct owt_node nodes[] = {
	{ 0 },	       { 0, 0x1011 }, { 1, 0x2011 }, { 2, 0x3011 },
	{ 0, 0x3011 }, { 0, 0x9000 }, { 7, 0x1011 }, { 0, 0x2011 }
};
static const struct owt_stack stacks[] = { { 0 },	  { .leaf = 1 }, { .leaf = 2 },
					   { .leaf = 3 }, { .leaf = 4 }, { .leaf = 5 },
					   { .leaf = 6 } };

struct row {
	uint32_t kstack, ustack, exe, shown;
};

static void expect_function(struct row wanted, const char *function)
{
	const struct owt_process processes[] = { { 0 }, { 10, 1, wanted.exe, 0 } };
	const struct rep_row row = { .row = { .target = 1,
					      .kind = OWT_KIND_OPEN,
					      .state = 1,
					      .target_kstack = wanted.kstack,
					      .target_ustack = wanted.ustack } };
	const struct rep_slice slice = { 0 };
	const struct rep_trace trace = { .strings = strings,
					 .nodes = nodes,
					 .stacks = stacks,
					 .threads = threads,
					 .thread_cnt = OWT_ARRAY_SIZE(threads),
					 .modules = modules,
					 .module_cnt = OWT_ARRAY_SIZE(modules),
					 .processes = processes,
					 .process_cnt = OWT_ARRAY_SIZE(processes),
					 .mappings = mappings,
					 .mapping_cnt = OWT_ARRAY_SIZE(mappings),
					 .ksyms = ksyms,
					 .ksym_cnt = OWT_ARRAY_SIZE(ksyms),
					 .rows = &row,
					 .row_cnt = 1,
					 .slices = &slice,
					 .slice_cnt = 1 };
	const struct rep_select_opts all = { .kinds = ~0u, .to_ns = UINT64_MAX };
	const struct rep_fold_opts opts = { .merge = REP_MERGE_SITES, .shown = wanted.shown };
	struct rep_budget budget = { .limit = 16 << 20 };
	struct rep_pool *texts = rep_pool_new(&budget);
	struct rep_symbols *symbols = rep_symbols_new(&trace, "/nowhere", texts, &budget);
	struct rep_select *select;
	struct rep_fold fold;
	const uint32_t *items;
	size_t len;

	cr_assert_eq(rep_select_new(&trace, &all, &budget, &select), 0);
	cr_assert_eq(rep_fold_want(&trace, select, &opts, symbols), 0);
	cr_assert_eq(rep_symbols_resolve(symbols), 0);
	cr_assert_eq(rep_fold_make(&trace, select, &opts, symbols, texts, &budget, &fold), 0);
	cr_assert_eq(fold.group_cnt, 1);
	items = rep_pool_get(texts, fold.groups[0].line, &len);
	cr_expect_str_eq(rep_pool_get(texts, items[REP_SITE_FUNCTION], &len), function);
	cr_expect_str_eq(rep_pool_get(texts, items[REP_SITE_STATE], &len), "S[open]");
	rep_fold_done(&fold);
	rep_select_free(select);
	rep_symbols_free(symbols);
	rep_pool_free(texts);
	cr_expect_eq(budget.used, 0);
}

#define WHOLE (REP_SHOW_USER | REP_SHOW_KERNEL)

Test(sites, the_program_comes_before_its_libraries)
{
	expect_function((struct row){ 6, 3, 2, WHOLE }, "app+0x11");
	expect_function((struct row){ 6, 2, 2, WHOLE }, "app+0x11");
}

Test(sites, without_a_known_program_it_is_what_is_not_the_c_library)
{
	expect_function((struct row){ 6, 3, 0, WHOLE }, "libwork.so+0x11");
}

Test(sites, of_the_c_library_alone_it_is_the_leaf)
{
	expect_function((struct row){ 6, 4, 2, WHOLE }, "libc.so.6+0x11");
}

Test(sites, without_a_user_stack_it_is_below_the_scheduler)
{
	expect_function((struct row){ 6, 0, 2, WHOLE }, "pipe_read");
	expect_function((struct row){ 6, 5, 2, WHOLE }, "pipe_read");
	expect_function((struct row){ 6, 3, 2, REP_SHOW_KERNEL }, "pipe_read");
}

Test(sites, without_any_stack_it_says_so)
{
	expect_function((struct row){ 0, 0, 2, WHOLE }, "[no stack]");
	expect_function((struct row){ 6, 0, 2, REP_SHOW_USER }, "[no stack]");
}
