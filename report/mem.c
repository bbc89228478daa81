/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "mem.h"

#define BLOCK_BYTES (64 * 1024)

struct rep_block {
	struct rep_block *prev;
	unsigned char bytes[] __attribute__((aligned(8)));
};

static bool take(struct rep_budget *budget, size_t bytes)
{
	if (bytes > budget->limit || budget->used > budget->limit - bytes) {
		budget->hit = true;
		return false;
	}
	budget->used += bytes;
	return true;
}

void *rep_alloc(struct rep_budget *budget, size_t cnt, size_t elem)
{
	size_t bytes;
	void *items;

	if (!owt_fits(cnt, elem, &bytes) || !take(budget, bytes))
		return NULL;
	items = calloc(cnt ? cnt : 1, elem);
	if (!items)
		budget->used -= bytes;
	return items;
}

void rep_release(struct rep_budget *budget, void *items, size_t cnt, size_t elem)
{
	if (items)
		budget->used -= cnt * elem;
	free(items);
}

void rep_table_init(struct rep_table *t, size_t elem)
{
	*t = (struct rep_table){.elem = elem};
}

static int grow(struct rep_budget *budget, struct rep_table *t)
{
	size_t cap = t->cap ? t->cap * 2 : 64, bytes;
	void *items;

	if (!owt_fits(cap, t->elem, &bytes) || !take(budget, bytes - t->cap * t->elem))
		return -ENOMEM;
	items = realloc(t->items, bytes);
	if (!items) {
		budget->used -= bytes - t->cap * t->elem;
		return -ENOMEM;
	}
	t->items = items;
	t->cap = cap;
	return 0;
}

int rep_table_push(struct rep_budget *budget, struct rep_table *t, const void *item)
{
	int rc = t->cnt == t->cap ? grow(budget, t) : 0;

	if (rc)
		return rc;
	if (item)
		memcpy(rep_table_at(t, t->cnt), item, t->elem);
	else
		memset(rep_table_at(t, t->cnt), 0, t->elem);
	t->cnt++;
	return 0;
}

void *rep_table_at(const struct rep_table *t, size_t i)
{
	return (unsigned char *)t->items + i * t->elem;
}

void rep_table_done(struct rep_budget *budget, struct rep_table *t)
{
	budget->used -= t->cap * t->elem;
	free(t->items);
	rep_table_init(t, t->elem);
}

static int new_block(struct rep_budget *budget, struct rep_arena *arena, size_t need)
{
	size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;
	struct rep_block *block;

	if (!take(budget, sizeof(*block) + size))
		return -ENOMEM;
	block = malloc(sizeof(*block) + size);
	if (!block) {
		budget->used -= sizeof(*block) + size;
		return -ENOMEM;
	}
	block->prev = arena->last;
	arena->last = block;
	arena->used = 0;
	arena->size = size;
	arena->taken += sizeof(*block) + size;
	return 0;
}

void *rep_arena_copy(struct rep_budget *budget, struct rep_arena *arena, const void *bytes,
		     size_t len)
{
	size_t need;
	unsigned char *copy;

	if (len > SIZE_MAX / 2)
		return NULL;
	need = (len + 1 + 7) & ~(size_t)7;
	if (need > arena->size - arena->used && new_block(budget, arena, need))
		return NULL;
	copy = arena->last->bytes + arena->used;
	arena->used += need;
	if (len)
		memcpy(copy, bytes, len);
	copy[len] = 0;
	return copy;
}

void rep_arena_done(struct rep_budget *budget, struct rep_arena *arena)
{
	struct rep_block *block, *prev;

	for (block = arena->last; block; block = prev) {
		prev = block->prev;
		free(block);
	}
	budget->used -= arena->taken;
	*arena = (struct rep_arena){0};
}
