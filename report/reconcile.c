/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accounts are sorted by process and thread; those of one tid are summed, as rows do not tell
 * them apart. Rows then go to the thread whose tid and tgid they name, whatever its name was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "costs.h"
#include "reconcile.h"

static int compare_ids(uint32_t tgid, uint32_t tid, const struct rep_reconciled *b)
{
	int order = owt_cmp_u64(tgid, b->tgid);

	return order ? order : owt_cmp_u64(tid, b->tid);
}

static int by_ids(const void *a, const void *b)
{
	const struct rep_reconciled *x = a, *y = b;
	int order = compare_ids(x->tgid, x->tid, y);

	/* the same order, and so the same name, whatever the C library's qsort() does */
	return order ? order : owt_cmp_u64(x->thread, y->thread);
}

static int by_ns(const void *a, const void *b)
{
	return owt_cmp_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

uint64_t rep_times_off_ns(const struct rep_times *times)
{
	return times->wall > times->on ? times->wall - times->on : 0;
}

static struct rep_difference difference(const struct rep_times *times)
{
	uint64_t off = owt_sat_add(owt_sat_add(times->rows, times->left), times->lost);
	uint64_t found = owt_sat_add(off, times->on);
	bool is_more = found > times->wall;

	return (struct rep_difference){ is_more ? found - times->wall : times->wall - found,
					is_more };
}

static void sum_times(struct rep_times *into, const struct rep_times *times)
{
	into->wall = owt_sat_add(into->wall, times->wall);
	into->cpu = owt_sat_add(into->cpu, times->cpu);
	into->on = owt_sat_add(into->on, times->on);
	into->rows = owt_sat_add(into->rows, times->rows);
	into->left = owt_sat_add(into->left, times->left);
	into->lost = owt_sat_add(into->lost, times->lost);
}

/* CPU time less what was charged early, which may be negative. */
static uint64_t on_cpu(const struct owt_account *a)
{
	if (a->early_ns < 0)
		return owt_sat_add(a->cpu_ns, 0 - (uint64_t)a->early_ns);
	return a->cpu_ns > (uint64_t)a->early_ns ? a->cpu_ns - (uint64_t)a->early_ns : 0;
}

static void take_account(const struct rep_trace *t, const struct owt_account *a,
			 struct rep_reconciled *out)
{
	const struct owt_thread *thread = &t->threads[a->thread];

	*out = (struct rep_reconciled){
		.tid = thread->tid,
		.tgid = thread->tgid,
		.thread = a->thread,
		.lives = 1,
		.unseen_ends = a->unseen_ends,
		.unseen_begins = a->unseen_begins,
		.times = { .wall = a->end_ns - a->begin_ns,
			   .cpu = a->cpu_ns,
			   .on = on_cpu(a),
			   .left = a->left_ns,
			   .lost = owt_sat_add(a->lost_ns, a->unseen_ns) },
		.is_whole = a->begin_ns <= t->end.start_ns && a->end_ns >= t->end.end_ns,
	};
}

static void sum_lives(struct rep_reconciled *into, const struct rep_reconciled *r)
{
	into->lives++;
	into->unseen_ends = owt_sat_add(into->unseen_ends, r->unseen_ends);
	into->unseen_begins = owt_sat_add(into->unseen_begins, r->unseen_begins);
	sum_times(&into->times, &r->times);
	into->is_whole = false;
}

static void sort_and_merge(struct rep_reconcile *r)
{
	size_t cnt = 0, i;

	qsort(r->threads, r->thread_cnt, sizeof(*r->threads), by_ids);
	for (i = 0; i < r->thread_cnt; i++) {
		struct rep_reconciled *last = cnt ? &r->threads[cnt - 1] : NULL;

		if (last && !compare_ids(last->tgid, last->tid, &r->threads[i]))
			sum_lives(last, &r->threads[i]);
		else
			r->threads[cnt++] = r->threads[i];
	}
	r->thread_cnt = cnt;
}

static struct rep_reconciled *find(const struct rep_reconcile *r, const struct owt_thread *thread)
{
	size_t low = 0, high = r->thread_cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = compare_ids(thread->tgid, thread->tid, &r->threads[mid]);

		if (!order)
			return &r->threads[mid];
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

static void add_rows(const struct rep_trace *t, struct rep_reconcile *r)
{
	size_t i;

	for (i = 0; i < t->row_cnt; i++) {
		const struct owt_row *row = &t->rows[i].row;
		struct rep_reconciled *thread = find(r, &t->threads[row->target]);

		if (thread)
			thread->times.rows = owt_sat_add(
				thread->times.rows, owt_sat_add(row->wait_ns, row->runq_ns));
	}
}

/* Losses of the recording that name no thread: any difference may be theirs. */
static bool has_loss_of_anybody(const struct rep_trace *t)
{
	static const unsigned causes[] = { OWT_LOSS_TASK_STATE, OWT_LOSS_MISSED_EVENTS,
					   OWT_LOSS_OPEN_ROWS };
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(causes); i++)
		if (t->end.losses.count[causes[i]])
			return true;
	return !t->info.complete;
}

static void judge(struct rep_reconcile *r, struct rep_reconciled *x)
{
	uint64_t tolerance = rep_times_off_ns(&x->times) / 100;
	struct rep_times without = x->times;

	tolerance = owt_sat_add(tolerance, r->tick_ns);
	tolerance = owt_sat_add(tolerance, owt_sat_add(r->steal_ns, r->interrupt_ns));
	x->difference = difference(&x->times);
	without.lost = 0;
	if (difference(&without).ns <= tolerance)
		x->verdict = REP_WITHIN;
	else
		x->verdict = x->difference.ns <= tolerance || x->has_loss ? REP_COVERED
									  : REP_OUTSIDE;
	r->whole += x->is_whole;
	r->within += x->verdict == REP_WITHIN;
	r->covered += x->verdict == REP_COVERED;
	r->outside += x->verdict == REP_OUTSIDE;
	r->unseen_ends = owt_sat_add(r->unseen_ends, x->unseen_ends);
	r->unseen_begins = owt_sat_add(r->unseen_begins, x->unseen_begins);
}

/* Whether b differs more than a; who has a loss of unknown size comes last. */
static bool is_worse(const struct rep_reconciled *a, const struct rep_reconciled *b)
{
	if (a->has_loss != b->has_loss)
		return a->has_loss;
	return b->difference.ns > a->difference.ns;
}

static void add_to_group(struct rep_reconcile *r, size_t i)
{
	const struct rep_reconciled *x = &r->threads[i];
	struct rep_reconciled_group *g = r->group_cnt ? &r->groups[r->group_cnt - 1] : NULL;

	if (!g || g->tgid != x->tgid) {
		g = &r->groups[r->group_cnt++];
		*g = (struct rep_reconciled_group){ .tgid = x->tgid,
						    .thread = x->thread,
						    .first = i,
						    .worst = i };
	}
	g->cnt++;
	if (x->tid == x->tgid)
		g->thread = x->thread;
	g->covered += x->verdict == REP_COVERED;
	g->outside += x->verdict == REP_OUTSIDE;
	sum_times(&g->times, &x->times);
	g->difference = difference(&g->times);
	if (is_worse(&r->threads[g->worst], x))
		g->worst = i;
	if (is_worse(&r->threads[r->worst], x))
		r->worst = i;
}

static int find_median(struct rep_reconcile *r, struct rep_budget *budget)
{
	uint64_t *ns = rep_alloc(budget, r->thread_cnt, sizeof(*ns));
	size_t cnt = 0, i;

	if (!ns)
		return -ENOMEM;
	for (i = 0; i < r->thread_cnt; i++)
		if (!r->threads[i].has_loss)
			ns[cnt++] = r->threads[i].difference.ns;
	qsort(ns, cnt, sizeof(*ns), by_ns);
	r->median_ns = cnt ? ns[cnt / 2] : 0;
	rep_release(budget, ns, r->thread_cnt, sizeof(*ns));
	return 0;
}

int rep_reconcile_make(const struct rep_trace *t, struct rep_budget *budget,
		       struct rep_reconcile *out)
{
	struct rep_reconcile r = { .thread_cnt = t->account_cnt,
				   .thread_cap = t->account_cnt,
				   .tick_ns = rep_trace_number(t, "reconcile_tick_ns"),
				   .steal_ns = rep_trace_number(t, "reconcile_steal_ns"),
				   .interrupt_ns = rep_trace_number(t, "reconcile_interrupt_ns"),
				   .accounts_lost = rep_trace_number(t, "reconcile_accounts_lost") };
	bool any_loss = has_loss_of_anybody(t);
	size_t i;
	int rc = 0;

	*out = (struct rep_reconcile){ .thread_cnt = 0 };
	if (!r.thread_cnt)
		return 0;
	r.threads = rep_alloc(budget, r.thread_cap, sizeof(*r.threads));
	if (!r.threads)
		return -ENOMEM;
	for (i = 0; i < t->account_cnt; i++)
		take_account(t, &t->accounts[i], &r.threads[i]);
	sort_and_merge(&r);
	add_rows(t, &r);
	r.group_cap = r.thread_cnt;
	r.groups = rep_alloc(budget, r.group_cap, sizeof(*r.groups));
	if (!r.groups)
		rc = -ENOMEM;
	for (i = 0; !rc && i < r.thread_cnt; i++) {
		/* of one who had its tid before it, the rows are here and the account is not */
		r.threads[i].has_loss |= any_loss || (r.accounts_lost && !r.threads[i].is_whole);
		judge(&r, &r.threads[i]);
		add_to_group(&r, i);
	}
	if (!rc)
		rc = find_median(&r, budget);
	if (rc)
		rep_reconcile_done(budget, &r);
	else
		*out = r;
	return rc;
}

void rep_reconcile_done(struct rep_budget *budget, struct rep_reconcile *r)
{
	rep_release(budget, r->threads, r->thread_cap, sizeof(*r->threads));
	rep_release(budget, r->groups, r->group_cap, sizeof(*r->groups));
	*r = (struct rep_reconcile){ .thread_cnt = 0 };
}
