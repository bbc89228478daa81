/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>
#include "reconcile.h"

#define TEXT(text) { text, sizeof(text) - 1 }
#define MS 1000000ull

static const struct owt_string strings[] = { TEXT(""), TEXT("app"), TEXT("renamed") };
/* Thread 10 has two names; 20 is its only thread. */
static const struct owt_thread threads[] = {
	{ 0 }, { 10, 10, 1 }, { 11, 10, 1 }, { 10, 10, 2 }, { 20, 20, 2 }
};

struct facts {
	struct owt_account accounts[4];
	size_t account_cnt;
	struct rep_row rows[4];
	size_t row_cnt;
	const char *steal, *lost;
	uint64_t missed;
	bool is_cut;
};

static struct rep_budget budget = { .limit = SIZE_MAX };

static struct rep_reconcile reconcile(const struct facts *f)
{
	const struct owt_meta metas[] = {
		{ TEXT("reconcile_tick_ns"), TEXT("4000000") },
		{ TEXT("reconcile_steal_ns"), { f->steal ? f->steal : "0", f->steal ? strlen(f->steal) : 1 } },
		{ TEXT("reconcile_accounts_lost"), { f->lost ? f->lost : "0", 1 } },
	};
	const struct rep_trace trace = { .metas = metas,
					 .meta_cnt = OWT_ARRAY_SIZE(metas),
					 .strings = strings,
					 .threads = threads,
					 .thread_cnt = OWT_ARRAY_SIZE(threads),
					 .accounts = f->accounts,
					 .account_cnt = f->account_cnt,
					 .rows = f->rows,
					 .row_cnt = f->row_cnt,
					 .end = { .start_ns = 0,
						  .end_ns = 1000 * MS,
						  .losses.count[OWT_LOSS_MISSED_EVENTS] = f->missed },
					 .info.complete = !f->is_cut };
	struct rep_reconcile r;

	cr_assert_eq(rep_reconcile_make(&trace, &budget, &r), 0);
	return r;
}

/* Thread 1 for a second, 400 ms of it on CPU; its one row as given. */
static struct facts one(uint64_t row_ns)
{
	return (struct facts){
		.accounts = { { .thread = 1, .end_ns = 1000 * MS, .cpu_ns = 400 * MS } },
		.account_cnt = 1,
		.rows = { { .row = { .target = 1, .wait_ns = row_ns } } },
		.row_cnt = 1,
	};
}

static void expect(const struct facts *f, enum rep_verdict verdict, uint64_t difference_ns)
{
	struct rep_reconcile r = reconcile(f);

	cr_assert_eq(r.threads[0].verdict, verdict, "verdict %d, difference %llu",
		     r.threads[0].verdict, (unsigned long long)r.threads[0].difference.ns);
	cr_assert_eq(r.threads[0].difference.ns, difference_ns);
	cr_assert_eq(r.within + r.covered + r.outside, r.thread_cnt);
	rep_reconcile_done(&budget, &r);
	cr_assert_eq(budget.used, 0);
}

Test(reconcile, wall_less_cpu_is_what_the_rows_hold)
{
	struct facts f = one(600 * MS);

	expect(&f, REP_WITHIN, 0);
}

Test(reconcile, the_tolerance_is_a_hundredth_a_tick_and_steal)
{
	struct facts f = one(590 * MS);

	expect(&f, REP_WITHIN, 10 * MS); /* 6 + 4 */
	f = one(590 * MS - 1);
	expect(&f, REP_OUTSIDE, 10 * MS + 1);
	f = one(610 * MS + 1);
	expect(&f, REP_OUTSIDE, 10 * MS + 1);
	f.steal = "1";
	expect(&f, REP_WITHIN, 10 * MS + 1);
}

Test(reconcile, all_kinds_and_names_of_a_thread_count)
{
	struct facts f = one(100 * MS);

	f.rows[1].row = (struct owt_row){ .target = 3, .kind = OWT_KIND_PREEMPTED, .runq_ns = 200 * MS };
	f.rows[2].row = (struct owt_row){ .target = 1, .kind = OWT_KIND_OPEN, .wait_ns = 300 * MS };
	f.rows[3].row = (struct owt_row){ .target = 2, .wait_ns = 500 * MS };
	f.row_cnt = 4;
	expect(&f, REP_WITHIN, 0);
}

Test(reconcile, what_was_left_out_or_had_no_room_counts)
{
	struct facts f = one(100 * MS);

	f.accounts[0].left_ns = 300 * MS;
	f.accounts[0].lost_ns = 200 * MS;
	f.accounts[0].lost_cnt = 2;
	expect(&f, REP_COVERED, 0);
	f.accounts[0].left_ns = 0;
	expect(&f, REP_OUTSIDE, 300 * MS);
}

Test(reconcile, cpu_time_that_was_charged_early_is_no_time_on_cpu)
{
	struct facts f = one(650 * MS);

	f.accounts[0].early_ns = 50 * MS;
	expect(&f, REP_WITHIN, 0);
	f = one(550 * MS);
	f.accounts[0].early_ns = -50 * (int64_t)MS;
	expect(&f, REP_WITHIN, 0);
}

Test(reconcile, a_stated_loss_covers)
{
	struct facts f = one(100 * MS);

	expect(&f, REP_OUTSIDE, 500 * MS);
	f.accounts[0].unseen_ends = 1;
	f.accounts[0].unseen_ns = 500 * MS;
	expect(&f, REP_COVERED, 0);
	f.accounts[0].unseen_ns = 480 * MS; /* it does not explain the rest */
	expect(&f, REP_OUTSIDE, 20 * MS);
	f.accounts[0].unseen_ns = 0;
	expect(&f, REP_OUTSIDE, 500 * MS);
	f.accounts[0].unseen_ends = 0;
	f.missed = 1;
	expect(&f, REP_COVERED, 500 * MS);
	f.missed = 0;
	f.is_cut = true;
	expect(&f, REP_COVERED, 500 * MS);
}

Test(reconcile, a_lost_account_covers_who_came_later_only)
{
	struct facts f = one(700 * MS);

	f.lost = "1";
	expect(&f, REP_OUTSIDE, 100 * MS);
	f.accounts[0].begin_ns = 1;
	expect(&f, REP_COVERED, 100 * MS + 1);
}

Test(reconcile, those_who_had_one_tid_are_summed)
{
	struct facts f = one(600 * MS);
	struct rep_reconcile r;

	f.accounts[0].end_ns = 500 * MS;
	f.accounts[0].cpu_ns = 100 * MS;
	f.accounts[1] = (struct owt_account){ .thread = 3, .begin_ns = 600 * MS, .end_ns = 1000 * MS,
					      .cpu_ns = 200 * MS };
	f.account_cnt = 2;
	expect(&f, REP_WITHIN, 0);
	r = reconcile(&f);
	cr_assert_eq(r.thread_cnt, 1);
	cr_assert_eq(r.threads[0].lives, 2);
	cr_assert_not(r.threads[0].is_whole);
	rep_reconcile_done(&budget, &r);
}

Test(reconcile, processes_sum_their_threads_and_name_the_worst)
{
	struct facts f = one(600 * MS);
	struct rep_reconcile r;

	f.accounts[1] = (struct owt_account){ .thread = 4, .end_ns = 1000 * MS, .cpu_ns = 993 * MS };
	f.accounts[2] = (struct owt_account){ .thread = 2, .end_ns = 1000 * MS, .cpu_ns = 998 * MS };
	f.account_cnt = 3;
	r = reconcile(&f);
	cr_assert_eq(r.thread_cnt, 3);
	cr_assert_eq(r.whole, 3);
	cr_assert_eq(r.group_cnt, 2);
	cr_assert_eq(r.groups[0].tgid, 10);
	cr_assert_eq(r.groups[0].cnt, 2);
	cr_assert_eq(r.groups[0].times.wall, 2000 * MS);
	cr_assert_eq(r.groups[0].times.cpu, 1398 * MS);
	cr_assert_eq(r.groups[0].difference.ns, 2 * MS);
	cr_assert_not(r.groups[0].difference.is_more);
	cr_assert_eq(r.threads[r.groups[0].worst].tid, 11);
	cr_assert_eq(r.threads[r.worst].tid, 20);
	cr_assert_eq(r.median_ns, 2 * MS);
	cr_assert_eq(r.within, 2);
	cr_assert_eq(r.outside, 1);
	rep_reconcile_done(&budget, &r);
}

Test(reconcile, absurd_numbers_do_not_wrap)
{
	struct facts f = one(UINT64_MAX);

	f.accounts[0].end_ns = UINT64_MAX;
	f.accounts[0].cpu_ns = UINT64_MAX;
	f.accounts[0].early_ns = INT64_MIN;
	f.accounts[0].left_ns = UINT64_MAX;
	expect(&f, REP_WITHIN, 0);
	f.accounts[0].end_ns = 0;
	expect(&f, REP_OUTSIDE, UINT64_MAX);
}

Test(reconcile, without_accounts_there_is_nothing)
{
	const struct rep_trace trace = { .info.complete = true };
	struct rep_reconcile r;

	cr_assert_eq(rep_reconcile_make(&trace, &budget, &r), 0);
	cr_assert_eq(r.thread_cnt, 0);
	rep_reconcile_done(&budget, &r);
}

Test(reconcile, lives_have_the_name_that_the_recording_defines_first)
{
	struct facts f = one(600 * MS);
	struct rep_reconcile r;

	f.accounts[1] = f.accounts[0];
	f.accounts[0].thread = 3;
	f.account_cnt = 2;
	r = reconcile(&f);
	cr_expect_eq(r.thread_cnt, 1);
	cr_expect_eq(r.threads[0].lives, 2);
	cr_expect_eq(r.threads[0].thread, 1);
	rep_reconcile_done(&budget, &r);
}
