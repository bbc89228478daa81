/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An open-addressed table of ids over an arena of bytes. The hash is SipHash-1-3 under a
 * random key, as the names come from whoever ran on the recorded host.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "pool.h"

struct entry {
	const void *bytes;
	size_t len;
	uint64_t hash;
};

struct rep_pool {
	struct rep_budget *budget;
	struct rep_arena arena;
	struct rep_table entries;	/* entries[id - 1] */
	uint32_t *slots;		/* ids; 0 is free */
	size_t slot_cnt;		/* a power of two, at most half full */
	uint64_t key[2];
};

static uint64_t rotl(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

static uint64_t hash_bytes(const uint64_t key[2], const unsigned char *p, size_t len)
{
	uint64_t v[4] = { key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
			  key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u };
	uint64_t word, tail = (uint64_t)len << 56;
	size_t i;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	for (i = 0; i < len; i++)
		tail |= (uint64_t)p[i] << (8 * i);
	v[3] ^= tail;
	sip_round(v);
	v[0] ^= tail;
	v[2] ^= 0xff;
	sip_round(v);
	sip_round(v);
	sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

struct rep_pool *rep_pool_new(struct rep_budget *budget)
{
	struct rep_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->budget = budget;
	rep_table_init(&pool->entries, sizeof(struct entry));
	if (getrandom(pool->key, sizeof(pool->key), GRND_NONBLOCK) < 0)
		pool->key[0] = pool->key[1] = 0;
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

		if (bytes && e->hash == hash && e->len == len &&
		    memcmp(e->bytes, bytes, len) == 0)
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
	slots = pool->entries.cnt < UINT32_MAX / 2 ?
			rep_alloc(pool->budget, cnt, sizeof(*slots)) : NULL;
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
	struct entry e = { .len = len, .hash = hash_bytes(pool->key, bytes, len) };
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
	return pool->slots[slot_for(pool, hash_bytes(pool->key, bytes, len), bytes, len)];
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
	rep_arena_done(&pool->arena);
	free(pool);
}
