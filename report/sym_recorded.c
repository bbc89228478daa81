/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted by owner and address; reach is the furthest end of an owner's symbols up to one, so
 * that a look-up knows when no earlier symbol can cover its address.
 */
#include <stdlib.h>
#include "sym_recorded.h"

struct entry {
	const struct owt_symbol *symbol;
	uint64_t reach;
};

struct rep_recorded {
	struct rep_budget *budget;
	struct entry *entries;
	size_t cnt;
};

static int compare_owner(const struct owt_symbol *s, uint32_t module, uint32_t process)
{
	int order = owt_cmp_u64(s->module, module);

	return order ? order : owt_cmp_u64(s->process, process);
}

static int by_owner(const void *a, const void *b)
{
	const struct owt_symbol *x = ((const struct entry *)a)->symbol;
	const struct owt_symbol *y = ((const struct entry *)b)->symbol;
	int order = compare_owner(x, y->module, y->process);

	if (!order)
		order = owt_cmp_u64(x->addr, y->addr);
	return order ? order : owt_cmp_u64((uintptr_t)x, (uintptr_t)y); /* as in the file */
}

struct rep_recorded *rep_recorded_new(const struct rep_trace *trace, struct rep_budget *budget)
{
	struct rep_recorded *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->budget = budget;
	r->cnt = trace->symbol_cnt;
	r->entries = rep_alloc(budget, r->cnt + 1, sizeof(*r->entries));
	if (!r->entries) {
		free(r);
		return NULL;
	}
	for (size_t i = 0; i < r->cnt; i++)
		r->entries[i].symbol = &trace->symbols[i];
	qsort(r->entries, r->cnt, sizeof(*r->entries), by_owner);
	for (size_t i = 0; i < r->cnt; i++) {
		const struct owt_symbol *s = r->entries[i].symbol;
		struct entry *before = i ? &r->entries[i - 1] : NULL;

		r->entries[i].reach = s->addr + s->size;
		if (before && !compare_owner(before->symbol, s->module, s->process) &&
		    before->reach > r->entries[i].reach)
			r->entries[i].reach = before->reach;
	}
	return r;
}

/* How many entries stand before those of a later owner or address. */
static size_t upper_bound(const struct rep_recorded *r, uint32_t module, uint32_t process,
			  uint64_t addr)
{
	size_t low = 0, high = r->cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		const struct owt_symbol *s = r->entries[mid].symbol;
		int order = compare_owner(s, module, process);

		if (order < 0 || (!order && s->addr <= addr))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct owt_symbol *rep_recorded_find(const struct rep_recorded *r, uint32_t module,
					   uint32_t process, uint64_t addr)
{
	for (size_t i = upper_bound(r, module, process, addr); i-- > 0;) {
		const struct owt_symbol *s = r->entries[i].symbol;

		if (compare_owner(s, module, process) || r->entries[i].reach <= addr)
			return NULL;
		if (addr - s->addr < s->size)
			return s;
	}
	return NULL;
}

void rep_recorded_free(struct rep_recorded *r)
{
	if (!r)
		return;
	rep_release(r->budget, r->entries, r->cnt + 1, sizeof(*r->entries));
	free(r);
}
