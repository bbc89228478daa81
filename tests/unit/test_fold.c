/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "fold.h"

#define TEXT(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}
#define WHOLE (REP_SHOW_USER | REP_SHOW_KERNEL)

static const struct owt_string strings[] = {TEXT(""), TEXT("worker"), TEXT("boss")};
/* 1 and 2: two workers of one process; 3 one of another; 4 the boss. */
static const struct owt_thread threads[] = {
	{0}, {11, 10, 1}, {12, 10, 1}, {21, 20, 1}, {10, 10, 2}};
static const struct owt_node nodes[] = {{0}, {0, 0x2001}, {1, 0x1001}, {1, 0x1002}};
/* 1 and 2 have the same names, 3 has others, 4 is lost, 5 is cut. */
static const struct owt_stack stacks[] = {{0},
					  {2, OWT_STACK_COMPLETE, 0},
					  {3, OWT_STACK_COMPLETE, 0},
					  {1, OWT_STACK_COMPLETE, 0},
					  {0, OWT_STACK_TABLE_FULL, 0},
					  {2, OWT_STACK_TRUNCATED, 0}};
static const struct owt_ksym ksyms[] = {
	{0x1000, 'T', TEXT("schedule"), TEXT("")},
	{0x2000, 'T', TEXT("vfs_read"), TEXT("")},
};
static const struct owt_process processes[1];
/* Two seconds; the first slice, before the recording, is that of the symbols. */
static const struct rep_slice slices[3] = {{.slice = {0, 0}},
					   {.slice = {0, 1000000000}},
					   {.slice = {1000000000, 2000000000}}};

struct bench {
	struct rep_trace trace;
	struct rep_row rows[8];
	struct rep_budget budget;
	struct rep_pool *texts;
	struct rep_select_opts select_opts;
	struct rep_select *select;
	struct rep_symbols *symbols;
	struct rep_fold fold;
};

static void add(struct bench *b, struct owt_row row)
{
	b->rows[b->trace.row_cnt++].row = row;
}

static void fold(struct bench *b, struct rep_fold_opts opts)
{
	b->trace.strings = strings;
	b->trace.threads = threads;
	b->trace.nodes = nodes;
	b->trace.stacks = stacks;
	b->trace.ksyms = ksyms;
	b->trace.ksym_cnt = OWT_ARRAY_SIZE(ksyms);
	b->trace.processes = processes;
	b->trace.process_cnt = 1;
	b->trace.rows = b->rows;
	b->budget.limit = 16 << 20;
	b->trace.thread_cnt = OWT_ARRAY_SIZE(threads);
	b->trace.slices = slices;
	b->trace.slice_cnt = OWT_ARRAY_SIZE(slices);
	if (!b->select_opts.kinds)
		b->select_opts.kinds = ~0u;
	if (!b->select_opts.to_ns)
		b->select_opts.to_ns = UINT64_MAX;
	cr_assert_eq(rep_select_new(&b->trace, &b->select_opts, &b->budget, &b->select), 0);
	b->texts = rep_pool_new(&b->budget);
	b->symbols = rep_symbols_new(&b->trace, "/nowhere", b->texts, &b->budget);
	cr_assert_not_null(b->symbols);
	cr_assert_eq(rep_fold_want(&b->trace, b->select, &opts, b->symbols), 0);
	cr_assert_eq(rep_symbols_resolve(b->symbols), 0);
	cr_assert_eq(rep_fold_make(&b->trace, b->select, &opts, b->symbols, b->texts, &b->budget,
				   &b->fold),
		     0);
}

static void done(struct bench *b)
{
	rep_fold_done(&b->fold);
	rep_symbols_free(b->symbols);
	rep_select_free(b->select);
	rep_pool_free(b->texts);
}

static struct owt_row blocked(uint32_t target, uint32_t waker, uint32_t kstack, uint64_t wait_ns)
{
	return (struct owt_row){.kind = OWT_KIND_BLOCKED,
				.context = OWT_CTX_TASK,
				.target = target,
				.waker = waker,
				.target_kstack = kstack,
				.wait_ns = wait_ns,
				.count = 1};
}

Test(fold, rows_with_equal_names_become_one_and_sum_nanoseconds)
{
	struct bench b = {0};

	add(&b, blocked(1, 4, 1, 999));
	add(&b, blocked(1, 4, 2, 1));
	fold(&b, (struct rep_fold_opts){.shown = WHOLE});
	cr_assert_eq(b.fold.group_cnt, 1);
	cr_expect_eq(b.fold.groups[0].sums.total_ns, 1000);
	cr_expect_eq(b.fold.groups[0].sums.count, 2);
	done(&b);
}

Test(fold, threads_and_processes_stay_apart_in_text)
{
	struct bench b = {0};

	add(&b, blocked(1, 4, 1, 10));
	add(&b, blocked(2, 4, 1, 20));
	add(&b, blocked(3, 4, 1, 30));
	fold(&b, (struct rep_fold_opts){.shown = WHOLE});
	cr_expect_eq(b.fold.group_cnt, 3);
	done(&b);
}

Test(fold, threads_of_one_name_are_one_folded_line)
{
	struct bench b = {0};

	add(&b, blocked(1, 4, 1, 10000));
	add(&b, blocked(2, 4, 1, 20000));
	add(&b, blocked(3, 4, 2, 30000));
	add(&b, blocked(3, 4, 3, 5000));
	fold(&b, (struct rep_fold_opts){.shown = WHOLE, .merge = REP_MERGE_LINES, .by = REP_BY_COMM});
	cr_assert_eq(b.fold.group_cnt, 2);
	cr_expect_eq(b.fold.groups[0].sums.total_ns, 5000);
	cr_expect_eq(b.fold.groups[1].sums.total_ns, 60000);
	done(&b);
}

Test(fold, what_is_not_shown_does_not_tell_rows_apart)
{
	struct bench b = {0};

	add(&b, blocked(1, 4, 1, 10));
	add(&b, blocked(1, 4, 3, 20));
	add(&b, blocked(1, 4, 4, 30));
	fold(&b, (struct rep_fold_opts){.shown = REP_SHOW_USER});
	cr_assert_eq(b.fold.group_cnt, 1);
	cr_expect_eq(b.fold.groups[0].sums.total_ns, 60);
	cr_expect_eq(b.fold.lost_stacks, 0);
	done(&b);
}

Test(fold, a_cut_stack_is_not_the_whole_one)
{
	struct bench b = {0};

	add(&b, blocked(1, 4, 1, 10));
	add(&b, blocked(1, 4, 5, 20));
	fold(&b, (struct rep_fold_opts){.shown = WHOLE});
	cr_expect_eq(b.fold.group_cnt, 2);
	done(&b);
}

Test(fold, lost_stacks_are_counted_where_they_are_shown)
{
	struct bench b = {0};

	add(&b, blocked(1, 4, 4, 10));
	add(&b, blocked(2, 4, 1, 10));
	fold(&b, (struct rep_fold_opts){.shown = WHOLE});
	cr_expect_eq(b.fold.lost_stacks, 1);
	cr_expect(b.fold.table_full);
	cr_expect_eq(REP_LOST_ERRNO(b.fold.groups[0].stacks[REP_TARGET_KERNEL]), ENOMEM);
	done(&b);
}

Test(fold, only_the_kinds_asked_for_are_there)
{
	struct bench b = {0};
	struct owt_row preempted = blocked(1, 0, 1, 10);

	preempted.kind = OWT_KIND_PREEMPTED;
	preempted.context = OWT_CTX_NONE;
	add(&b, preempted);
	add(&b, blocked(1, 4, 1, 20));
	b.select_opts.kinds = 1u << OWT_KIND_BLOCKED;
	fold(&b, (struct rep_fold_opts){.shown = WHOLE});
	cr_assert_eq(b.fold.group_cnt, 1);
	cr_expect_eq(b.fold.groups[0].kind, OWT_KIND_BLOCKED);
	done(&b);
}

Test(fold, sums_stop_at_their_maximum)
{
	struct bench b = {0};

	add(&b, blocked(1, 4, 1, UINT64_MAX - 5));
	add(&b, blocked(1, 4, 1, 10));
	fold(&b, (struct rep_fold_opts){.shown = WHOLE});
	cr_assert_eq(b.fold.group_cnt, 1);
	cr_expect_eq(b.fold.groups[0].sums.total_ns, UINT64_MAX);
	done(&b);
}

/* The same rows in every order of the file come out in one order. */
Test(fold, order_is_by_value_then_content_whatever_the_file)
{
	const struct owt_row rows[] = {blocked(1, 4, 1, 10000), blocked(2, 4, 1, 10999),
				       blocked(3, 4, 3, 10001), blocked(4, 1, 1, 5000)};
	const uint32_t expected[] = {10, 11, 12, 21};
	unsigned turn, i;

	for (turn = 0; turn < 4; turn++) {
		struct bench b = {0};

		for (i = 0; i < 4; i++)
			add(&b, rows[(i + turn) % 4]);
		fold(&b, (struct rep_fold_opts){.shown = WHOLE});
		cr_assert_eq(b.fold.group_cnt, 4);
		for (i = 0; i < 4; i++)
			cr_expect_eq(b.fold.groups[i].target.tid, expected[i], "turn %u row %u",
				     turn, i);
		done(&b);
	}
}

Test(fold, each_value_is_shown_in_its_own_unit)
{
	const enum rep_value values[] = {REP_VALUE_TOTAL, REP_VALUE_WAIT, REP_VALUE_RUNQ,
					 REP_VALUE_COUNT};
	const uint64_t expected[] = {3, 1, 2, 7};
	struct owt_row row = blocked(1, 4, 1, 1000);
	unsigned i;

	row.runq_ns = 2999;
	row.count = 7;
	for (i = 0; i < 4; i++) {
		struct bench b = {0};

		add(&b, row);
		fold(&b, (struct rep_fold_opts){.shown = WHOLE, .value = values[i]});
		cr_expect_eq(b.fold.groups[0].value, expected[i], "value %u", i);
		done(&b);
	}
}

Test(fold, grouping_forgets_threads_then_processes)
{
	const enum rep_by by[] = {REP_BY_TID, REP_BY_TGID, REP_BY_COMM};
	const size_t expected[] = {3, 2, 1};
	const enum rep_merge merges[] = {REP_MERGE_NAMES, REP_MERGE_LINES, REP_MERGE_SITES,
					 REP_MERGE_FACTS};
	unsigned i, m;

	for (i = 0; i < OWT_ARRAY_SIZE(by); i++)
		for (m = 0; m < OWT_ARRAY_SIZE(merges); m++) {
			struct bench b = {0};

			add(&b, blocked(1, 0, 1, 10));
			add(&b, blocked(2, 0, 1, 20));
			add(&b, blocked(3, 0, 1, 30));
			fold(&b, (struct rep_fold_opts){
					 .shown = WHOLE, .by = by[i], .merge = merges[m]});
			/* Processes without a record of their own are called after a thread. */
			cr_expect_eq(b.fold.group_cnt, expected[i], "by %u merge %u: %zu", i, m,
				     b.fold.group_cnt);
			cr_expect_eq(b.fold.all.total_ns, 60);
			done(&b);
		}
}

Test(fold, the_minimum_leaves_out_the_same_however_rows_are_merged)
{
	const enum rep_merge merges[] = {REP_MERGE_NAMES, REP_MERGE_LINES, REP_MERGE_SITES,
					 REP_MERGE_FACTS};
	unsigned m;

	for (m = 0; m < OWT_ARRAY_SIZE(merges); m++) {
		struct bench b = {0};

		/* One by names, two by addresses: 5 us together. */
		add(&b, blocked(1, 4, 1, 3000));
		add(&b, blocked(1, 4, 2, 2000));
		add(&b, blocked(1, 4, 3, 4999));
		fold(&b, (struct rep_fold_opts){.shown = WHOLE, .min_us = 5, .merge = merges[m]});
		cr_expect_eq(b.fold.all.total_ns, 5000, "merge %u", m);
		done(&b);
	}
}

Test(fold, top_keeps_the_largest_and_sums_the_rest)
{
	struct bench b = {0};

	add(&b, blocked(1, 4, 1, 3000));
	add(&b, blocked(2, 4, 1, 2000));
	add(&b, blocked(3, 4, 1, 1000));
	fold(&b, (struct rep_fold_opts){.shown = WHOLE, .top = 1});
	cr_assert_eq(b.fold.group_cnt, 1);
	cr_expect_eq(b.fold.groups[0].value, 3);
	cr_expect_eq(b.fold.rest_cnt, 2);
	cr_expect_eq(b.fold.rest_value, 3);
	cr_expect_eq(b.fold.all_value, 6);
	done(&b);
}

Test(fold, the_longest_interval_tells_when_it_ended_and_whom_it_interrupted)
{
	struct bench b = {0};
	struct owt_row row = blocked(1, 0, 1, 3000);
	size_t len;

	row.context = OWT_CTX_HARDIRQ;
	row.max_ns = 2000;
	row.max_end_ns = 70;
	row.interrupted = 4;
	add(&b, row);
	row.max_ns = 1000;
	row.max_end_ns = 90;
	row.interrupted = 2;
	add(&b, row);
	fold(&b, (struct rep_fold_opts){.shown = WHOLE});
	cr_assert_eq(b.fold.group_cnt, 1);
	cr_expect_eq(b.fold.groups[0].sums.max_ns, 2000);
	cr_expect_eq(b.fold.groups[0].sums.max_end_ns, 70);
	cr_expect_str_eq(rep_pool_get(b.texts, b.fold.groups[0].sums.interrupted.comm, &len),
			 "boss");
	done(&b);
}

Test(fold, the_main_waker_of_a_site_is_who_ended_most)
{
	struct bench b = {0};
	size_t len;

	add(&b, blocked(1, 4, 1, 3000));
	add(&b, blocked(1, 3, 1, 2000));
	add(&b, blocked(1, 2, 1, 2000));
	fold(&b, (struct rep_fold_opts){
			 .shown = WHOLE, .merge = REP_MERGE_SITES, .by = REP_BY_COMM});
	cr_assert_eq(b.fold.group_cnt, 1);
	cr_expect_eq(b.fold.groups[0].value, 7);
	cr_expect_str_eq(rep_pool_get(b.texts, b.fold.groups[0].main_waker, &len), "worker");
	done(&b);
}
