/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem.h - memory of the reporter, counted against one budget: a recording is hostile, and
 * what it makes us hold must end somewhere.
 */
#ifndef REP_MEM_H
#define REP_MEM_H

#include "base.h"

/* Counts what the tables and pools of one report hold. Set limit, leave the rest zero. */
struct rep_budget {
	size_t limit, used; /* bytes */
	bool hit;	    /* an allocation failed because of the limit */
};

/* A growing array of equal items; items may move with each push. */
struct rep_table {
	void *items;
	size_t cnt, cap, elem;
};

/* Bytes that never move and are freed together. */
struct rep_arena {
	struct rep_block *last;
	size_t used, size; /* of the last block */
	size_t taken;	   /* from the budget */
};

/* Zeroed memory for cnt items, or null; given back with the same count and size. */
void *rep_alloc(struct rep_budget *budget, size_t cnt, size_t elem);
void rep_release(struct rep_budget *budget, void *items, size_t cnt, size_t elem);

/* Sets the item size. */
void rep_table_init(struct rep_table *t, size_t elem);
/* Appends a copy of *item; null appends zeros. 0 or -ENOMEM (then see budget->hit). */
int rep_table_push(struct rep_budget *budget, struct rep_table *t, const void *item) OWT_MUST_CHECK;
/* The item at index i, which must exist. */
void *rep_table_at(const struct rep_table *t, size_t i);
/* Gives the memory back. */
void rep_table_done(struct rep_budget *budget, struct rep_table *t);

/* A copy of len bytes with a terminator behind, aligned to 8; null when memory is short. */
void *rep_arena_copy(struct rep_budget *budget, struct rep_arena *arena, const void *bytes,
		     size_t len);
void rep_arena_done(struct rep_budget *budget, struct rep_arena *arena);

#endif
