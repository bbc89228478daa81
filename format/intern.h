/* SPDX-License-Identifier: Apache-2.0 */
/*
 * intern.h - content to dense ids, starting at 1, in order of first use.
 *
 * The hash is SipHash under a key drawn at init, so that nobody who controls the content can
 * choose collisions. Ids depend on the order of the calls alone.
 */
#ifndef OWT_INTERN_H
#define OWT_INTERN_H

#include "base.h"
#include "bytes.h"

struct owt_siphash_key {
	uint64_t k0, k1;
};

/* SipHash-1-3. */
uint64_t owt_siphash(const struct owt_siphash_key *key, const void *bytes, size_t n);

struct owt_pair_slot {
	uint64_t a, b;
	uint32_t id; /* 0: free */
};

/* Pairs of numbers. */
struct owt_pairs {
	struct owt_siphash_key key;
	struct owt_pair_slot *slots;
	size_t slot_cnt; /* a power of two, or 0 */
	uint32_t cnt;
};

int owt_pairs_init(struct owt_pairs *t) OWT_MUST_CHECK;
void owt_pairs_done(struct owt_pairs *t);
/* The id of (a, b), or 0 when it has none. */
uint32_t owt_pairs_find(const struct owt_pairs *t, uint64_t a, uint64_t b);
/* Gives (a, b), which must not be there, the id cnt + 1. 0 or -ENOMEM. */
int owt_pairs_add(struct owt_pairs *t, uint64_t a, uint64_t b) OWT_MUST_CHECK;

/* Byte strings, kept as copies. */
struct owt_strings {
	struct owt_siphash_key key;
	uint32_t *slots; /* ids; 0: free */
	size_t slot_cnt;
	uint32_t cnt;
	struct owt_buf text; /* all strings, one after the other */
	struct owt_buf ends; /* u64: where each of them ends in it */
};

int owt_strings_init(struct owt_strings *t) OWT_MUST_CHECK;
void owt_strings_done(struct owt_strings *t);
uint32_t owt_strings_find(const struct owt_strings *t, const void *bytes, size_t n);
int owt_strings_add(struct owt_strings *t, const void *bytes, size_t n) OWT_MUST_CHECK;

#endif
