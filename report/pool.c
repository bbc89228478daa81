/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An open-addressed table of ids over an arena of bytes. The hash is SipHash under a random
 * key, as the names come from whoever ran on the recorded host.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "intern.h"
#include "pool.h"

struct entry {
	const void *bytes;
	size_t len;
	uint64_t hash;
};

struct rep_pool {
	struct rep_budget *budget;
	struct rep_arena arena;
	struct rep_table entries; /* entries[id - 1] */
	uint32_t *slots;	  /* ids; 0 is free */
	size_t slot_cnt;	  /* a power of two, at most half full */
	struct owt_siphash_key key;
};

struct rep_pool *rep_pool_new(struct rep_budget *budget)
{
	struct rep_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->budget = budget;
	rep_table_init(&pool->entries, sizeof(struct entry));
	/* A weak key is still one nobody could have known when the recording was made. */
	if (getrandom(&pool->key, sizeof(pool->key), GRND_NONBLOCK) < 0)
		pool->key.k0 = (uint64_t)(uintptr_t)pool;
	return pool;
}

static const struct entry *entry_of(const struct rep_pool *pool, uint32_t id)
{
	return rep_table_at(&pool->entries, id - 1);
}

static size_t slot_for(const struct rep_pool *pool, uint64_t hash, const void *bytes, size_t len)
{
	size_t i = hash & (pool->slot_cnt - 1);

	for (; pool->slots[i]; i = (i + 1) & (pool->slot_cnt - 1)) {
		const struct entry *e = entry_of(pool, pool->slots[i]);

		if (bytes && e->hash == hash && e->len == len && memcmp(e->bytes, bytes, len) == 0)
			break;
	}
	return i;
}

static int rehash(struct rep_pool *pool)
{
	size_t cnt = pool->slot_cnt ? pool->slot_cnt * 2 : 256, i;
	uint32_t *slots;

	if (pool->entries.cnt < pool->slot_cnt / 2)
		return 0;
	slots = pool->entries.cnt < UINT32_MAX / 2 ? rep_alloc(pool->budget, cnt, sizeof(*slots))
						   : NULL;
	if (!slots)
		return -ENOMEM;
	rep_release(pool->budget, pool->slots, pool->slot_cnt, sizeof(*slots));
	pool->slots = slots;
	pool->slot_cnt = cnt;
	for (i = 0; i < pool->entries.cnt; i++)
		slots[slot_for(pool, entry_of(pool, (uint32_t)i + 1)->hash, NULL, 0)] =
			(uint32_t)i + 1;
	return 0;
}

int rep_pool_put(struct rep_pool *pool, const void *bytes, size_t len, uint32_t *out_id)
{
	struct entry e = {.len = len, .hash = owt_siphash(&pool->key, bytes, len)};
	size_t slot;

	if (rehash(pool))
		return -ENOMEM;
	slot = slot_for(pool, e.hash, bytes, len);
	if (!pool->slots[slot]) {
		e.bytes = rep_arena_copy(pool->budget, &pool->arena, bytes, len);
		if (!e.bytes || rep_table_push(pool->budget, &pool->entries, &e))
			return -ENOMEM;
		pool->slots[slot] = (uint32_t)pool->entries.cnt;
	}
	*out_id = pool->slots[slot];
	return 0;
}

uint32_t rep_pool_find(const struct rep_pool *pool, const void *bytes, size_t len)
{
	if (pool->slot_cnt == 0)
		return 0;
	return pool->slots[slot_for(pool, owt_siphash(&pool->key, bytes, len), bytes, len)];
}

const void *rep_pool_get(const struct rep_pool *pool, uint32_t id, size_t *out_len)
{
	const struct entry *e = entry_of(pool, id);

	*out_len = e->len;
	return e->bytes;
}

uint32_t rep_pool_cnt(const struct rep_pool *pool)
{
	return (uint32_t)pool->entries.cnt;
}

void rep_pool_free(struct rep_pool *pool)
{
	if (!pool)
		return;
	rep_release(pool->budget, pool->slots, pool->slot_cnt, sizeof(*pool->slots));
	rep_table_done(pool->budget, &pool->entries);
	rep_arena_done(pool->budget, &pool->arena);
	free(pool);
}
