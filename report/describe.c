/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include "describe.h"
#include "line.h"
#include "sites.h"

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

bool rep_has_waker(const struct owt_row *row)
{
	return row->kind == OWT_KIND_BLOCKED && row->context != OWT_CTX_NONE;
}

struct rep_stack_ref rep_stack_of(const struct rep_describe *d, const struct owt_row *row,
				  enum rep_stack which)
{
	const struct owt_thread *threads = d->trace->threads;
	bool shown = d->opts->shown & (1u << which);
	bool of_nobody = which <= REP_WAKER_KERNEL && !rep_has_waker(row) && !d->opts->as_stored;
	struct rep_stack_ref ref = { .space = REP_SPACE_KERNEL };

	if (!shown || of_nobody)
		return ref;
	switch (which) {
	case REP_WAKER_USER:
		ref.space = REP_SPACE_USER;
		ref.image = (struct rep_image){ threads[row->waker].tgid, row->waker_process };
		ref.stack = row->waker_ustack;
		return ref;
	case REP_WAKER_KERNEL:
		ref.stack = row->waker_kstack;
		return ref;
	case REP_TARGET_KERNEL:
		ref.stack = row->target_kstack;
		return ref;
	default:
		ref.space = REP_SPACE_USER;
		ref.image = (struct rep_image){ threads[row->target].tgid, row->target_process };
		ref.stack = row->target_ustack;
		return ref;
	}
}

static int put_text(const struct rep_describe *d, const char *text, uint32_t *out_id)
{
	return rep_pool_put(d->texts, text, strlen(text), out_id);
}

static int put_waker(const struct rep_describe *d, const struct owt_row *row, struct rep_party *out)
{
	static const char *const by_kind[] = { [OWT_KIND_BLOCKED] = "[unobserved]",
					       [OWT_KIND_UNOBSERVED] = "[unobserved]",
					       [OWT_KIND_PREEMPTED] = "[preempted]",
					       [OWT_KIND_OPEN] = "[open]" };
	static const char *const by_context[] = { [OWT_CTX_NONE] = "[unobserved]",
						  [OWT_CTX_TASK] = "[unobserved]",
						  [OWT_CTX_SOFTIRQ] = "[softirq]",
						  [OWT_CTX_HARDIRQ] = "[hardirq]",
						  [OWT_CTX_IDLE] = "[idle]" };

	if (!rep_has_waker(row))
		return put_text(d, by_kind[row->kind], &out->comm);
	if (row->waker)
		return rep_party_of(d->parties, row->waker, out);
	return put_text(d, by_context[row->context], &out->comm);
}

/* Processes that are one when shown share no addresses. */
static int put_fact(const struct rep_describe *d, const struct rep_frame *frame, uint32_t *out_item)
{
	struct rep_frame fact = *frame;

	if (d->opts->by == REP_BY_COMM && fact.space == REP_SPACE_USER)
		fact.addr = 0;
	return rep_pool_put(d->texts, &fact, sizeof(fact), out_item);
}

static int put_cut(const struct rep_describe *d, bool facts, uint32_t *out_item)
{
	if (!facts)
		return put_text(d, "[truncated]", out_item);
	*out_item = REP_ITEM_CUT;
	return 0;
}

/* The items of a stack, leaf first, with a mark at the root end where it was cut. */
static int put_stack(const struct rep_describe *d, bool facts, struct rep_stack_ref ref,
		     uint32_t *out)
{
	const struct owt_stack *stack = &d->trace->stacks[ref.stack];
	uint32_t node, items[LINE_FRAMES_MAX];
	size_t cnt = 0;

	if (ref.stack && stack->status >= OWT_STACK_WALK_FAILED) {
		*out = REP_LOST | (uint32_t)stack->status << 16 | rep_lost_errno(stack);
		return 0;
	}
	for (node = stack->leaf; node && cnt < LINE_FRAMES_MAX - 1; cnt++) {
		const struct rep_frame *frame = rep_symbols_frame(d->symbols, ref.space, ref.image,
								  d->trace->nodes[node].addr);

		items[cnt] = frame->name;
		if (facts && put_fact(d, frame, &items[cnt]))
			return -ENOMEM;
		node = d->trace->nodes[node].parent;
	}
	if (stack->status == OWT_STACK_TRUNCATED && put_cut(d, facts, &items[cnt++]))
		return -ENOMEM;
	return cnt ? rep_pool_put(d->texts, items, cnt * sizeof(*items), out) : 0;
}

static int put_line(const struct rep_describe *d, enum rep_merge by, const struct owt_row *row,
		    struct rep_group *group)
{
	if (by == REP_MERGE_LINES)
		return rep_line_put(group, d->opts->shown, d->opts->delimited, d->texts,
				    &group->line);
	return by == REP_MERGE_SITES ? rep_site_put(d, row, group, &group->line) : 0;
}

int rep_describe(const struct rep_describe *d, enum rep_merge by, const struct owt_row *row,
		 struct rep_group *out)
{
	bool facts = by == REP_MERGE_FACTS;
	unsigned which;
	int rc;

	memset(out, 0, sizeof(*out));
	out->kind = row->kind;
	out->context = rep_has_waker(row) ? row->context : OWT_CTX_NONE;
	out->waker_is_named = rep_has_waker(row) && row->waker;
	out->flags = row->flags & OWT_ROW_BEGAN_BEFORE;
	out->state = facts ? row->state : 0;
	rc = rep_party_of(d->parties, row->target, &out->target);
	if (rc == 0)
		rc = put_waker(d, row, &out->waker);
	for (which = 0; rc == 0 && which < REP_STACK_CNT; which++)
		rc = put_stack(d, facts, rep_stack_of(d, row, which), &out->stacks[which]);
	return rc ? rc : put_line(d, by, row, out);
}
