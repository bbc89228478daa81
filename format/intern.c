/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open addressing with linear probing; a table is at most two thirds full. Nothing is ever
 * removed, so a probe may stop at the first free slot.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "intern.h"

#define FIRST_SLOTS 64

static uint64_t rotl(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[2] += v[3];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] = rotl(v[0], 32);
	v[2] += v[1];
	v[0] += v[3];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] = rotl(v[2], 32);
}

uint64_t owt_siphash(const struct owt_siphash_key *key, const void *bytes, size_t n)
{
	uint64_t v[4] = {key->k0 ^ 0x736f6d6570736575u, key->k1 ^ 0x646f72616e646f6du,
			 key->k0 ^ 0x6c7967656e657261u, key->k1 ^ 0x7465646279746573u};
	const uint8_t *p = bytes;
	uint8_t last[8] = {0};
	size_t left = n;
	uint64_t word;

	for (; left >= 8; left -= 8, p += 8) {
		word = owt_load_u64(p);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	if (left)
		memcpy(last, p, left);
	last[7] = (uint8_t)n;
	word = owt_load_u64(last);
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static int draw_key(struct owt_siphash_key *key)
{
	ptrdiff_t n;

	do
		n = getrandom(key, sizeof(*key), 0);
	while (n < 0 && errno == EINTR);
	return n == (ptrdiff_t)sizeof(*key) ? 0 : n < 0 ? -errno : -EIO;
}

static bool is_full(uint32_t cnt, size_t slot_cnt)
{
	return cnt >= slot_cnt - slot_cnt / 3 || !slot_cnt;
}

static size_t pair_slot(const struct owt_pairs *t, uint64_t a, uint64_t b)
{
	uint8_t bytes[16];
	size_t i;

	owt_store_u64(bytes, a);
	owt_store_u64(bytes + 8, b);
	i = (size_t)owt_siphash(&t->key, bytes, sizeof(bytes)) & (t->slot_cnt - 1);
	while (t->slots[i].id && (t->slots[i].a != a || t->slots[i].b != b))
		i = (i + 1) & (t->slot_cnt - 1);
	return i;
}

static int pairs_grow(struct owt_pairs *t)
{
	struct owt_pairs wider = *t;

	wider.slot_cnt = t->slot_cnt ? t->slot_cnt * 2 : FIRST_SLOTS;
	wider.slots = calloc(wider.slot_cnt, sizeof(*wider.slots));
	if (!wider.slots)
		return -ENOMEM;
	for (size_t i = 0; i < t->slot_cnt; i++)
		if (t->slots[i].id)
			wider.slots[pair_slot(&wider, t->slots[i].a, t->slots[i].b)] = t->slots[i];
	free(t->slots);
	*t = wider;
	return 0;
}

int owt_pairs_init(struct owt_pairs *t)
{
	*t = (struct owt_pairs){.cnt = 0};
	return draw_key(&t->key);
}

void owt_pairs_done(struct owt_pairs *t)
{
	free(t->slots);
	t->slots = NULL;
	t->slot_cnt = t->cnt = 0;
}

uint32_t owt_pairs_find(const struct owt_pairs *t, uint64_t a, uint64_t b)
{
	return t->slot_cnt ? t->slots[pair_slot(t, a, b)].id : 0;
}

int owt_pairs_add(struct owt_pairs *t, uint64_t a, uint64_t b)
{
	if (is_full(t->cnt, t->slot_cnt) && pairs_grow(t))
		return -ENOMEM;
	t->slots[pair_slot(t, a, b)] = (struct owt_pair_slot){.a = a, .b = b, .id = ++t->cnt};
	return 0;
}

static uint64_t end_of(const struct owt_strings *t, uint32_t id)
{
	return id ? owt_load_u64(t->ends.bytes + (size_t)(id - 1) * 8) : 0;
}

static bool string_is(const struct owt_strings *t, uint32_t id, const void *bytes, size_t n)
{
	uint64_t start = end_of(t, id - 1);

	return end_of(t, id) - start == n && !memcmp(t->text.bytes + start, bytes, n);
}

static size_t string_slot(const struct owt_strings *t, const void *bytes, size_t n)
{
	size_t i = (size_t)owt_siphash(&t->key, bytes, n) & (t->slot_cnt - 1);

	while (t->slots[i] && !string_is(t, t->slots[i], bytes, n))
		i = (i + 1) & (t->slot_cnt - 1);
	return i;
}

static int strings_grow(struct owt_strings *t)
{
	struct owt_strings wider = *t;

	wider.slot_cnt = t->slot_cnt ? t->slot_cnt * 2 : FIRST_SLOTS;
	wider.slots = calloc(wider.slot_cnt, sizeof(*wider.slots));
	if (!wider.slots)
		return -ENOMEM;
	for (uint32_t id = 1; id <= t->cnt; id++) {
		uint64_t start = end_of(t, id - 1);

		wider.slots[string_slot(&wider, t->text.bytes + start, end_of(t, id) - start)] = id;
	}
	free(t->slots);
	*t = wider;
	return 0;
}

int owt_strings_init(struct owt_strings *t)
{
	*t = (struct owt_strings){.cnt = 0};
	return draw_key(&t->key);
}

void owt_strings_done(struct owt_strings *t)
{
	free(t->slots);
	owt_buf_done(&t->text);
	owt_buf_done(&t->ends);
	t->slots = NULL;
	t->slot_cnt = t->cnt = 0;
}

uint32_t owt_strings_find(const struct owt_strings *t, const void *bytes, size_t n)
{
	return t->slot_cnt ? t->slots[string_slot(t, bytes, n)] : 0;
}

int owt_strings_add(struct owt_strings *t, const void *bytes, size_t n)
{
	size_t slot;

	if (is_full(t->cnt, t->slot_cnt) && strings_grow(t))
		return -ENOMEM;
	if (owt_buf_reserve(&t->text, n) || owt_buf_add_fixed64(&t->ends, t->text.len + n))
		return -ENOMEM;
	slot = string_slot(t, bytes, n);
	if (owt_buf_add(&t->text, bytes, n))
		return -ENOMEM;
	t->slots[slot] = ++t->cnt;
	return 0;
}
