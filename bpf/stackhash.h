/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stackhash.h - the 64-bit name of a stack. Compiled into the programs and into a test.
 *
 * A word enters through an addition of a secret and two multiplications with shifts between
 * them, so that no difference of two words has an effect that is known without the secret. The
 * seed alone would not do: the highest bit passes a multiplication whatever was there before.
 */
#ifndef OW_STACKHASH_H
#define OW_STACKHASH_H

#include "wire.h"

#define OW_HASH_WORD  0x9fb21c651e98df25ULL
#define OW_HASH_STATE 0xd6e8feb86659fd93ULL

static inline __attribute__((always_inline)) __u64 ow_hash_mix(__u64 hash, __u64 word, __u64 salt)
{
	word += salt;
	word ^= word >> 32;
	word *= OW_HASH_WORD;
	word ^= word >> 29;
	hash = (hash ^ word) * OW_HASH_STATE;
	return hash ^ (hash >> 32);
}

/* The top bit is the caller's. */
static inline __attribute__((always_inline)) __u64 ow_hash_words(const __u64 *words, __u32 cnt,
								 __u64 seed, __u64 salt)
{
	__u64 hash = seed ^ cnt;

	for (__u32 i = 0; i < OW_FRAMES_MAX && i < cnt; i++)
		hash = ow_hash_mix(hash, words[i], salt);
	return hash;
}

#endif
