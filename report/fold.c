/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row becomes a group without times; equal groups have equal bytes and so one id in a
 * pool of keys. For folded output the key is the line alone, as a sequence of text ids.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fold.h"
#include "line.h"

struct fold_job {
	const struct rep_trace *trace;
	const struct rep_fold_opts *opts;
	const struct rep_symbols *symbols;
	struct rep_pool *texts, *keys;
	struct rep_budget *budget;
	struct rep_table *groups;
};

/* What a shown stack is: whose address space, and which stack. */
struct stack_ref {
	enum rep_space space;
	uint32_t tgid, stack;
};

unsigned rep_lost_errno(const struct owt_stack *stack)
{
	if (stack->error)
		return stack->error;
	if (stack->status == OWT_STACK_TABLE_FULL)
		return ENOMEM;
	return stack->status == OWT_STACK_NOT_SENT ? EAGAIN : EFAULT;
}

bool rep_stack_has_frames(uint32_t stack)
{
	return stack && !(stack & REP_LOST);
}

/* Only a blocked row has a waker; the rest of the file's fields say nothing then. */
static bool has_waker(const struct owt_row *row)
{
	return row->kind == OWT_KIND_BLOCKED && row->context != OWT_CTX_NONE;
}

static struct stack_ref stack_of(const struct fold_job *job, const struct owt_row *row,
				 enum rep_stack which)
{
	const struct owt_thread *threads = job->trace->threads;
	bool shown = job->opts->shown & (1u << which);
	bool of_nobody = which <= REP_WAKER_KERNEL && !has_waker(row) && !job->opts->as_stored;
	uint32_t waker_tgid = threads[row->waker].tgid;

	if (!shown || of_nobody)
		return (struct stack_ref){REP_SPACE_KERNEL, 0, 0};
	switch (which) {
	case REP_WAKER_USER:
		return (struct stack_ref){REP_SPACE_USER, waker_tgid, row->waker_ustack};
	case REP_WAKER_KERNEL:
		return (struct stack_ref){REP_SPACE_KERNEL, 0, row->waker_kstack};
	case REP_TARGET_KERNEL:
		return (struct stack_ref){REP_SPACE_KERNEL, 0, row->target_kstack};
	default:
		return (struct stack_ref){REP_SPACE_USER, threads[row->target].tgid,
					  row->target_ustack};
	}
}

static bool is_wanted(const struct rep_fold_opts *opts, const struct owt_row *row)
{
	return opts->as_stored || (opts->kinds & (1u << row->kind));
}

int rep_fold_want(const struct rep_trace *trace, const struct rep_fold_opts *opts,
		  struct rep_symbols *symbols)
{
	struct fold_job job = {.trace = trace, .opts = opts};
	unsigned which;
	size_t i;
	int rc = 0;

	for (i = 0; i < trace->row_cnt; i++) {
		const struct owt_row *row = &trace->rows[i].row;

		for (which = 0; which < REP_STACK_CNT && is_wanted(opts, row); which++) {
			struct stack_ref ref = stack_of(&job, row, which);

			rc = rep_symbols_want(symbols, ref.space, ref.tgid, ref.stack);
			if (rc)
				return rc;
		}
	}
	return 0;
}

static int put_text(struct fold_job *job, const char *text, uint32_t *out_id)
{
	return rep_pool_put(job->texts, text, strlen(text), out_id);
}

static int put_comm(struct fold_job *job, uint32_t thread, struct rep_party *out)
{
	const struct owt_thread *t = &job->trace->threads[thread];
	const struct owt_string *comm = &job->trace->strings[t->comm];

	out->tid = t->tid;
	out->tgid = t->tgid;
	return rep_pool_put(job->texts, comm->bytes, comm->len, &out->comm);
}

static int put_waker(struct fold_job *job, const struct owt_row *row, struct rep_party *out)
{
	static const char *const by_kind[] = {[OWT_KIND_BLOCKED] = "[unobserved]",
					      [OWT_KIND_UNOBSERVED] = "[unobserved]",
					      [OWT_KIND_PREEMPTED] = "[preempted]",
					      [OWT_KIND_OPEN] = "[open]"};
	static const char *const by_context[] = {[OWT_CTX_NONE] = "[unobserved]",
						 [OWT_CTX_TASK] = "[unobserved]",
						 [OWT_CTX_SOFTIRQ] = "[softirq]",
						 [OWT_CTX_HARDIRQ] = "[hardirq]",
						 [OWT_CTX_IDLE] = "[idle]"};

	if (!has_waker(row))
		return put_text(job, by_kind[row->kind], &out->comm);
	if (row->context == OWT_CTX_TASK && row->waker)
		return put_comm(job, row->waker, out);
	return put_text(job, by_context[row->context], &out->comm);
}

/* The names of a stack, leaf first, [truncated] at the root end where it was cut. */
static int put_stack(struct fold_job *job, struct stack_ref ref, uint32_t *out)
{
	const struct owt_stack *stack = &job->trace->stacks[ref.stack];
	uint32_t node, frames[LINE_FRAMES_MAX];
	size_t cnt = 0;

	if (ref.stack && stack->status >= OWT_STACK_WALK_FAILED) {
		*out = REP_LOST | (uint32_t)stack->status << 16 | rep_lost_errno(stack);
		return 0;
	}
	for (node = stack->leaf; node && cnt < LINE_FRAMES_MAX - 1;
	     node = job->trace->nodes[node].parent)
		frames[cnt++] = rep_symbols_frame(job->symbols, ref.space, ref.tgid,
						  job->trace->nodes[node].addr);
	if (stack->status == OWT_STACK_TRUNCATED && put_text(job, "[truncated]", &frames[cnt++]))
		return -ENOMEM;
	return cnt ? rep_pool_put(job->texts, frames, cnt * sizeof(*frames), out) : 0;
}

static int describe(struct fold_job *job, const struct owt_row *row, struct rep_group *out)
{
	unsigned which;
	int rc;

	memset(out, 0, sizeof(*out));
	out->kind = row->kind;
	out->context = has_waker(row) ? row->context : OWT_CTX_NONE;
	out->flags = row->flags & OWT_ROW_BEGAN_BEFORE;
	rc = put_comm(job, row->target, &out->target);
	if (rc == 0)
		rc = put_waker(job, row, &out->waker);
	for (which = 0; rc == 0 && which < REP_STACK_CNT; which++)
		rc = put_stack(job, stack_of(job, row, which), &out->stacks[which]);
	if (rc == 0 && job->opts->by_line)
		rc = rep_line_put(out, job->opts->shown, job->opts->delimited, job->texts,
				  &out->line);
	return rc;
}

static int add_row(struct fold_job *job, const struct owt_row *row)
{
	struct rep_group group, *into;
	uint32_t id;
	int rc = describe(job, row, &group);

	if (rc == 0 && job->opts->by_line)
		rc = rep_pool_put(job->keys, &group.line, sizeof(group.line), &id);
	else if (rc == 0)
		rc = rep_pool_put(job->keys, &group, offsetof(struct rep_group, total_ns), &id);
	if (rc == 0 && id > job->groups->cnt)
		rc = rep_table_push(job->budget, job->groups, &group);
	if (rc)
		return rc;
	into = rep_table_at(job->groups, id - 1);
	into->wait_ns = owt_sat_add(into->wait_ns, row->wait_ns);
	into->runq_ns = owt_sat_add(into->runq_ns, row->runq_ns);
	into->total_ns = owt_sat_add(into->wait_ns, into->runq_ns);
	into->count = owt_sat_add(into->count, row->count);
	return 0;
}

static int cmp_text(const struct rep_pool *texts, uint32_t a, uint32_t b)
{
	const void *x, *y;
	size_t len_x, len_y;
	int order;

	if (a == b)
		return 0;
	if (a >= REP_ITEM_DASH_DASH || b >= REP_ITEM_DASH_DASH)
		return owt_cmp_u64(a, b);
	x = rep_pool_get(texts, a, &len_x);
	y = rep_pool_get(texts, b, &len_y);
	order = memcmp(x, y, len_x < len_y ? len_x : len_y);
	return order ? order : owt_cmp_u64(len_x, len_y);
}

static int cmp_sequence(const struct rep_pool *texts, uint32_t a, uint32_t b)
{
	const uint32_t *x, *y;
	size_t len_x, len_y, i;
	int order = 0;

	if (a == b)
		return 0;
	if (!rep_stack_has_frames(a) || !rep_stack_has_frames(b))
		return owt_cmp_u64(a & REP_LOST ? a : a != 0, b & REP_LOST ? b : b != 0);
	x = rep_pool_get(texts, a, &len_x);
	y = rep_pool_get(texts, b, &len_y);
	len_x /= sizeof(*x);
	len_y /= sizeof(*y);
	for (i = 0; order == 0 && i < len_x && i < len_y; i++)
		order = cmp_text(texts, x[i], y[i]);
	return order ? order : owt_cmp_u64(len_x, len_y);
}

static int cmp_party(const struct rep_pool *texts, const struct rep_party *a,
		     const struct rep_party *b)
{
	int order = cmp_text(texts, a->comm, b->comm);

	if (order == 0)
		order = owt_cmp_u64(a->tid, b->tid);
	return order ? order : owt_cmp_u64(a->tgid, b->tgid);
}

/* A total order that knows no ids: the same rows come out alike however they were stored. */
static int by_value(const void *a, const void *b, void *ctx)
{
	const struct rep_group *x = a, *y = b;
	const struct rep_pool *texts = ctx;
	int order = owt_cmp_u64(x->value, y->value);
	unsigned which;

	if (order)
		return order;
	if (x->line)
		return cmp_sequence(texts, x->line, y->line);
	order = cmp_party(texts, &x->target, &y->target);
	if (order == 0)
		order = cmp_party(texts, &x->waker, &y->waker);
	for (which = 0; order == 0 && which < REP_STACK_CNT; which++)
		order = cmp_sequence(texts, x->stacks[which], y->stacks[which]);
	if (order == 0)
		order = owt_cmp_u64(x->kind, y->kind);
	if (order == 0)
		order = owt_cmp_u64(x->context, y->context);
	return order ? order : owt_cmp_u64(x->flags, y->flags);
}

static uint64_t value_of(const struct rep_group *group, enum rep_value value)
{
	switch (value) {
	case REP_VALUE_TOTAL:
		return group->total_ns / 1000;
	case REP_VALUE_WAIT:
		return group->wait_ns / 1000;
	case REP_VALUE_RUNQ:
		return group->runq_ns / 1000;
	case REP_VALUE_COUNT:
		break;
	}
	return group->count;
}

static void sort_groups(struct rep_table *table, enum rep_value value, struct rep_pool *texts)
{
	size_t i;

	for (i = 0; i < table->cnt; i++) {
		struct rep_group *group = rep_table_at(table, i);

		group->value = value_of(group, value);
	}
	if (table->cnt)
		qsort_r(table->items, table->cnt, sizeof(struct rep_group), by_value, texts);
}

static void count_lost(struct rep_fold *fold)
{
	unsigned which;
	size_t i;

	for (i = 0; i < fold->group_cnt; i++)
		for (which = 0; which < REP_STACK_CNT; which++) {
			uint32_t stack = fold->groups[i].stacks[which];

			if (!(stack & REP_LOST))
				continue;
			fold->lost_stacks++;
			fold->table_full |= REP_LOST_STATUS(stack) == OWT_STACK_TABLE_FULL;
		}
}

int rep_fold_make(const struct rep_trace *trace, const struct rep_fold_opts *opts,
		  const struct rep_symbols *symbols, struct rep_pool *texts,
		  struct rep_budget *budget, struct rep_fold *out)
{
	struct rep_fold fold = {.budget = budget};
	struct fold_job job = {trace,  opts,	   symbols, texts, rep_pool_new(budget),
			       budget, &fold.table};
	int rc = job.keys ? 0 : -ENOMEM;
	size_t i;

	rep_table_init(&fold.table, sizeof(struct rep_group));
	for (i = 0; rc == 0 && i < trace->row_cnt; i++)
		if (is_wanted(opts, &trace->rows[i].row))
			rc = add_row(&job, &trace->rows[i].row);
	rep_pool_free(job.keys);
	if (rc) {
		rep_table_done(budget, &fold.table);
		return rc;
	}
	sort_groups(&fold.table, opts->value, texts);
	fold.groups = fold.table.items;
	fold.group_cnt = fold.table.cnt;
	count_lost(&fold);
	*out = fold;
	return 0;
}

void rep_fold_done(struct rep_fold *fold)
{
	rep_table_done(fold->budget, &fold->table);
}
