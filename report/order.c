/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include "order.h"

struct order {
	const struct rep_pool *texts;
	bool facts; /* items are frames */
};

static int cmp_text(const struct rep_pool *texts, uint32_t a, uint32_t b)
{
	const void *x, *y;
	size_t len_x, len_y;
	int order;

	if (a == b)
		return 0;
	x = rep_pool_get(texts, a, &len_x);
	y = rep_pool_get(texts, b, &len_y);
	order = memcmp(x, y, len_x < len_y ? len_x : len_y);
	return order ? order : owt_cmp_u64(len_x, len_y);
}

static int cmp_frame(const struct rep_pool *texts, uint32_t a, uint32_t b)
{
	size_t len;
	const struct rep_frame *x = rep_pool_get(texts, a, &len), *y = rep_pool_get(texts, b, &len);
	int order = cmp_text(texts, x->name, y->name);

	if (order == 0)
		order = owt_cmp_u64(x->addr, y->addr);
	if (order == 0)
		order = owt_cmp_u64(x->vaddr, y->vaddr);
	return order ? order : owt_cmp_u64(x->module, y->module);
}

static int cmp_item(const struct order *o, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	if (a >= REP_ITEM_CUT || b >= REP_ITEM_CUT)
		return owt_cmp_u64(a, b);
	return o->facts ? cmp_frame(o->texts, a, b) : cmp_text(o->texts, a, b);
}

static int cmp_sequence(const struct order *o, uint32_t a, uint32_t b)
{
	const uint32_t *x, *y;
	size_t len_x, len_y, i;
	int order = 0;

	if (a == b)
		return 0;
	if (!rep_stack_has_frames(a) || !rep_stack_has_frames(b))
		return owt_cmp_u64(a & REP_LOST ? a : a != 0, b & REP_LOST ? b : b != 0);
	x = rep_pool_get(o->texts, a, &len_x);
	y = rep_pool_get(o->texts, b, &len_y);
	len_x /= sizeof(*x);
	len_y /= sizeof(*y);
	for (i = 0; order == 0 && i < len_x && i < len_y; i++)
		order = cmp_item(o, x[i], y[i]);
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

static int by_value(const void *a, const void *b, void *ctx)
{
	const struct rep_group *x = a, *y = b;
	const struct order *o = ctx;
	int order = owt_cmp_u64(x->value, y->value);
	unsigned which;

	if (order)
		return order;
	if (x->line)
		return cmp_sequence(o, x->line, y->line);
	order = cmp_party(o->texts, &x->target, &y->target);
	if (order == 0)
		order = cmp_party(o->texts, &x->waker, &y->waker);
	for (which = 0; order == 0 && which < REP_STACK_CNT; which++)
		order = cmp_sequence(o, x->stacks[which], y->stacks[which]);
	if (order == 0)
		order = owt_cmp_u64(x->kind, y->kind);
	if (order == 0)
		order = owt_cmp_u64(x->context, y->context);
	if (order == 0)
		order = owt_cmp_u64(x->state, y->state);
	return order ? order : owt_cmp_u64(x->flags, y->flags);
}

void rep_order(struct rep_table *groups, enum rep_merge merge, enum rep_value value,
	       const struct rep_pool *texts)
{
	struct order order = { texts, merge == REP_MERGE_FACTS };
	size_t i;

	for (i = 0; i < groups->cnt; i++) {
		struct rep_group *group = rep_table_at(groups, i);

		group->value = rep_sums_value(&group->sums, value);
	}
	if (groups->cnt)
		qsort_r(groups->items, groups->cnt, sizeof(struct rep_group), by_value, &order);
}
