/* SPDX-License-Identifier: Apache-2.0 */
#include "emit.h"
#include "emit_json.h"

static const struct owt_string *name_of(const struct rep_trace *t, uint32_t thread)
{
	return &t->strings[t->threads[thread].comm];
}

static void put_name(FILE *out, const struct rep_trace *t, uint32_t thread)
{
	const struct owt_string *name = name_of(t, thread);

	rep_escape(out, REP_ESC_TEXT, name->bytes, name->len);
}

/* Microseconds, with a sign, and of what it is so many percent. */
static void put_difference(FILE *out, struct rep_difference d, uint64_t whole_ns)
{
	fprintf(out, "%s%llu us (", d.ns / 1000 ? d.is_more ? "+" : "-" : "",
		(unsigned long long)(d.ns / 1000));
	rep_emit_share(out, 0, d.ns, whole_ns);
	fputc(')', out);
}

static void put_thread(FILE *out, const struct rep_trace *t, const struct rep_reconciled *x)
{
	fprintf(out, "thread %u (", x->tid);
	put_name(out, t, x->thread);
	fputs(") ", out);
	put_difference(out, x->difference, rep_times_off_ns(&x->times));
}

static void put_group(FILE *out, const struct rep_trace *t, const struct rep_reconcile *r,
		      const struct rep_reconciled_group *g)
{
	const struct rep_times *times = &g->times;
	const char *sign = times->on > times->cpu ? "-" : "";
	uint64_t early = *sign ? times->on - times->cpu : times->cpu - times->on;

	fprintf(out, "reconciled process %u (", g->tgid);
	put_name(out, t, g->thread);
	fprintf(out,
		"): %zu threads, wall %llu us, CPU %llu us, of it early %s%llu us, off CPU %llu us "
		"in rows, %llu us left out, %llu us lost; difference ",
		g->cnt, (unsigned long long)(times->wall / 1000),
		(unsigned long long)(times->cpu / 1000), early / 1000 ? sign : "",
		(unsigned long long)(early / 1000), (unsigned long long)(times->rows / 1000),
		(unsigned long long)(times->left / 1000), (unsigned long long)(times->lost / 1000));
	put_difference(out, g->difference, rep_times_off_ns(times));
	if (g->cnt > 1) {
		fputs(", most in ", out);
		put_thread(out, t, &r->threads[g->worst]);
	}
	if (g->covered)
		fprintf(out, "; covered by a loss: %zu", g->covered);
	if (g->outside)
		fprintf(out, "; outside: %zu", g->outside);
	fputc('\n', out);
}

void rep_emit_reconcile(FILE *out, const struct rep_view *view)
{
	const struct rep_reconcile *r = view->reconcile;
	size_t i;

	if (!r->thread_cnt)
		return;
	fprintf(out,
		"reconciled threads: %zu, %zu of them through the whole recording\n"
		"reconciled, within 1%%, a tick of %llu us, steal of %llu us and interrupts of %llu "
		"us: %zu\n"
		"reconciled, not so, but covered by a stated loss: %zu\n"
		"reconciled, outside: %zu\n",
		r->thread_cnt, r->whole, (unsigned long long)(r->tick_ns / 1000),
		(unsigned long long)(r->steal_ns / 1000),
		(unsigned long long)(r->interrupt_ns / 1000), r->within, r->covered, r->outside);
	fprintf(out, "reconciled, switches not shown: %llu to a thread, %llu away from one\n",
		(unsigned long long)r->unseen_ends, (unsigned long long)r->unseen_begins);
	if (r->accounts_lost)
		fprintf(out, "reconciled, accounts lost: %llu\n",
			(unsigned long long)r->accounts_lost);
	fprintf(out, "reconciled, difference: median %llu us, most in ",
		(unsigned long long)(r->median_ns / 1000));
	put_thread(out, view->trace, &r->threads[r->worst]);
	fputc('\n', out);
	for (i = 0; i < r->group_cnt; i++)
		put_group(out, view->trace, r, &r->groups[i]);
}

static void json_times(struct rep_json *j, const struct rep_times *times)
{
	rep_json_u64(j, "wall_ns", times->wall);
	rep_json_u64(j, "cpu_ns", times->cpu);
	rep_json_u64(j, "on_ns", times->on);
	rep_json_u64(j, "rows_ns", times->rows);
	rep_json_u64(j, "left_out_ns", times->left);
	rep_json_u64(j, "lost_ns", times->lost);
}

static void json_thread(struct rep_json *j, const char *key, const struct rep_trace *t,
			const struct rep_reconciled *x)
{
	const struct owt_string *name = name_of(t, x->thread);

	rep_json_open(j, key, '{');
	rep_json_u64(j, "tid", x->tid);
	rep_json_u64(j, "tgid", x->tgid);
	rep_json_text(j, "comm", name->bytes, name->len);
	json_times(j, &x->times);
	rep_json_u64(j, "difference_ns", x->difference.ns);
	rep_json_bool(j, "is_more", x->difference.is_more);
	rep_json_close(j, '}');
}

static void json_group(struct rep_json *j, const struct rep_trace *t, const struct rep_reconcile *r,
		       const struct rep_reconciled_group *g)
{
	const struct owt_string *name = name_of(t, g->thread);

	rep_json_line(j);
	rep_json_open(j, NULL, '{');
	rep_json_u64(j, "tgid", g->tgid);
	rep_json_text(j, "comm", name->bytes, name->len);
	rep_json_u64(j, "threads", g->cnt);
	json_times(j, &g->times);
	rep_json_u64(j, "difference_ns", g->difference.ns);
	rep_json_bool(j, "is_more", g->difference.is_more);
	rep_json_u64(j, "covered", g->covered);
	rep_json_u64(j, "outside", g->outside);
	json_thread(j, "worst", t, &r->threads[g->worst]);
	rep_json_close(j, '}');
}

void rep_emit_json_reconcile(struct rep_json *j, const struct rep_view *view)
{
	const struct rep_reconcile *r = view->reconcile;
	size_t i;

	if (!r->thread_cnt)
		return;
	rep_json_line(j);
	rep_json_open(j, "reconciliation", '{');
	rep_json_u64(j, "threads", r->thread_cnt);
	rep_json_u64(j, "whole", r->whole);
	rep_json_u64(j, "within", r->within);
	rep_json_u64(j, "covered", r->covered);
	rep_json_u64(j, "outside", r->outside);
	rep_json_u64(j, "tick_ns", r->tick_ns);
	rep_json_u64(j, "steal_ns", r->steal_ns);
	rep_json_u64(j, "interrupt_ns", r->interrupt_ns);
	rep_json_u64(j, "unseen_ends", r->unseen_ends);
	rep_json_u64(j, "unseen_begins", r->unseen_begins);
	rep_json_u64(j, "accounts_lost", r->accounts_lost);
	rep_json_u64(j, "median_difference_ns", r->median_ns);
	json_thread(j, "worst", view->trace, &r->threads[r->worst]);
	rep_json_open(j, "processes", '[');
	for (i = 0; i < r->group_cnt; i++)
		json_group(j, view->trace, r, &r->groups[i]);
	rep_json_close(j, ']');
	rep_json_close(j, '}');
}
