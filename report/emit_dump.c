/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line for each record, for tests and scripts; fields are separated by tabs, a row has
 * 20 behind the word:
 *
 *   meta KEY VALUE
 *   process ID TGID COMM
 *   module ID BUILDID PATH		BUILDID "-" when there is none
 *   slice N START_NS END_NS ROWS	N from 0
 *   loss NAME COUNT TIME_NS		every cause, zero or not
 *   end START_NS END_NS		when the recording is complete
 *   account TID TGID COMM BEGIN_NS END_NS CPU_NS EARLY_NS LEFT_NS LEFT_CNT LOST_NS LOST_CNT
 *	 UNSEEN_ENDS UNSEEN_BEGINS UNSEEN_NS	with --reconcile
 *   row KIND CONTEXT FLAGS STATE TARGET_TID TARGET_TGID TARGET_COMM WAKER_TID WAKER_TGID
 *	 WAKER_COMM INTERRUPTED_TID WAIT_NS RUNQ_NS COUNT MAX_NS TARGET_KERNEL TARGET_USER
 *	 WAKER_KERNEL WAKER_USER SLICE
 *
 * FLAGS are words joined by '+', "-" when none; STATE is hex. A stack is its frames, leaf
 * first, joined by ';', "-" when absent, [missed:STATUS] when lost, and [truncated] stands
 * at the root end of one that was cut. Rows come as stored, not summed over slices.
 */
#include "emit.h"

static void put_string(FILE *out, const struct owt_string *s)
{
	rep_escape(out, REP_ESC_TEXT, s->bytes, s->len);
}

static void put_thread(FILE *out, const struct rep_trace *t, uint32_t id)
{
	const struct owt_thread *thread = &t->threads[id];

	fprintf(out, "\t%u\t%u\t", thread->tid, thread->tgid);
	put_string(out, &t->strings[thread->comm]);
}

static void put_flags(FILE *out, uint32_t flags)
{
	fprintf(out, "\t%s%s%s", flags & OWT_ROW_BEGAN_BEFORE ? "began-before" : "",
		(flags & OWT_ROW_BEGAN_BEFORE) && (flags & OWT_ROW_OVERFLOW) ? "+" : "",
		flags & OWT_ROW_OVERFLOW ? "overflow" : "");
	if (!(flags & (OWT_ROW_BEGAN_BEFORE | OWT_ROW_OVERFLOW)))
		fputc('-', out);
}

static void put_stack(FILE *out, const struct rep_view *view, enum rep_space space,
		      struct rep_image image, uint32_t id)
{
	const struct rep_trace *t = view->trace;
	const struct owt_stack *stack = &t->stacks[id];
	uint32_t node = stack->leaf;

	fputc('\t', out);
	if (id && stack->status >= OWT_STACK_WALK_FAILED) {
		fprintf(out, "[missed:%s]", owt_stack_status_name(stack->status));
		return;
	}
	if (!node && stack->status != OWT_STACK_TRUNCATED)
		fputc('-', out);
	for (; node; node = t->nodes[node].parent) {
		if (node != stack->leaf)
			fputc(';', out);
		rep_emit_name(
			out, view, REP_ESC_FRAME,
			rep_symbols_frame(view->symbols, space, image, t->nodes[node].addr)->name);
	}
	if (stack->status == OWT_STACK_TRUNCATED)
		fprintf(out, "%s[truncated]", stack->leaf ? ";" : "");
}

static void put_row(FILE *out, const struct rep_view *view, const struct rep_row *stored)
{
	const struct rep_trace *t = view->trace;
	const struct owt_row *row = &stored->row;
	const struct rep_image kernel = { 0, 0 };
	const struct rep_image target = { t->threads[row->target].tgid, row->target_process };
	const struct rep_image waker = { t->threads[row->waker].tgid, row->waker_process };

	fprintf(out, "row\t%s\t%s", owt_kind_name(row->kind), owt_context_name(row->context));
	put_flags(out, row->flags);
	fprintf(out, "\t0x%x", row->state);
	put_thread(out, t, row->target);
	put_thread(out, t, row->waker);
	fprintf(out, "\t%u\t%llu\t%llu\t%llu\t%llu", t->threads[row->interrupted].tid,
		(unsigned long long)row->wait_ns, (unsigned long long)row->runq_ns,
		(unsigned long long)row->count, (unsigned long long)row->max_ns);
	put_stack(out, view, REP_SPACE_KERNEL, kernel, row->target_kstack);
	put_stack(out, view, REP_SPACE_USER, target, row->target_ustack);
	put_stack(out, view, REP_SPACE_KERNEL, kernel, row->waker_kstack);
	put_stack(out, view, REP_SPACE_USER, waker, row->waker_ustack);
	fprintf(out, "\t%u\n", stored->slice);
}

static void put_processes(FILE *out, const struct rep_trace *t)
{
	size_t i;

	for (i = 1; i < t->process_cnt; i++) {
		fprintf(out, "process\t%zu\t%u\t", i, t->processes[i].tgid);
		put_string(out, &t->strings[t->processes[i].comm]);
		fputc('\n', out);
	}
}

static void put_modules(FILE *out, const struct rep_trace *t)
{
	size_t i, b;

	for (i = 1; i < t->module_cnt; i++) {
		const struct owt_module *m = &t->modules[i];

		fprintf(out, "module\t%zu\t%s", i, m->build_id_len ? "" : "-");
		for (b = 0; b < m->build_id_len; b++)
			fprintf(out, "%02x", m->build_id[b]);
		fputc('\t', out);
		put_string(out, &t->strings[m->path]);
		fputc('\n', out);
	}
}

static void put_times_and_losses(FILE *out, const struct rep_trace *t)
{
	size_t i;

	for (i = 0; i < t->slice_cnt; i++)
		fprintf(out, "slice\t%zu\t%llu\t%llu\t%llu\n", i,
			(unsigned long long)t->slices[i].slice.start_ns,
			(unsigned long long)t->slices[i].slice.end_ns,
			(unsigned long long)t->slices[i].row_cnt);
	for (i = 0; i < OWT_LOSS_CNT; i++)
		fprintf(out, "loss\t%s\t%llu\t%llu\n", owt_loss_name((unsigned)i),
			(unsigned long long)t->end.losses.count[i],
			(unsigned long long)t->end.losses.time_ns[i]);
	if (t->info.complete)
		fprintf(out, "end\t%llu\t%llu\n", (unsigned long long)t->end.start_ns,
			(unsigned long long)t->end.end_ns);
}

static void put_accounts(FILE *out, const struct rep_trace *t)
{
	size_t i, k;

	for (i = 0; i < t->account_cnt; i++) {
		const struct owt_account *a = &t->accounts[i];
		const uint64_t numbers[] = { a->left_ns,  a->left_cnt,	  a->lost_ns,
					     a->lost_cnt, a->unseen_ends, a->unseen_begins,
					     a->unseen_ns };

		fputs("account", out);
		put_thread(out, t, a->thread);
		fprintf(out, "\t%llu\t%llu\t%llu\t%lld", (unsigned long long)a->begin_ns,
			(unsigned long long)a->end_ns, (unsigned long long)a->cpu_ns,
			(long long)a->early_ns);
		for (k = 0; k < OWT_ARRAY_SIZE(numbers); k++)
			fprintf(out, "\t%llu", (unsigned long long)numbers[k]);
		fputc('\n', out);
	}
}

void rep_emit_dump(FILE *out, const struct rep_view *view)
{
	const struct rep_trace *t = view->trace;
	size_t i;

	for (i = 0; i < t->meta_cnt; i++) {
		fputs("meta\t", out);
		put_string(out, &t->metas[i].key);
		fputc('\t', out);
		put_string(out, &t->metas[i].value);
		fputc('\n', out);
	}
	put_processes(out, t);
	put_modules(out, t);
	put_times_and_losses(out, t);
	put_accounts(out, t);
	for (i = 0; i < t->row_cnt; i++)
		if (rep_select_row(view->select, &t->rows[i]))
			put_row(out, view, &t->rows[i]);
}
