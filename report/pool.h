/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.h - equal bytes, one number. Names, sequences of frames and the keys of rows all
 * become dense ids this way, so that merging compares numbers.
 */
#ifndef REP_POOL_H
#define REP_POOL_H

#include "base.h"
#include "mem.h"

struct rep_pool;

/* The budget must outlive the pool. Null when memory is short. */
struct rep_pool *rep_pool_new(struct rep_budget *budget);

/*
 * The id of these bytes: from 1, dense, in the order of first use. 0 or -ENOMEM; keys must
 * hold no padding, as every byte counts.
 */
int rep_pool_put(struct rep_pool *pool, const void *bytes, size_t len,
		 uint32_t *out_id) OWT_MUST_CHECK;

/* The id of these bytes, 0 when they were never put. */
uint32_t rep_pool_find(const struct rep_pool *pool, const void *bytes, size_t len);

/* The bytes of an id given out before, aligned to 8, with a zero behind; valid until free. */
const void *rep_pool_get(const struct rep_pool *pool, uint32_t id, size_t *out_len);

/* Ids given out so far. */
uint32_t rep_pool_cnt(const struct rep_pool *pool);

/* Accepts null. */
void rep_pool_free(struct rep_pool *pool);

#endif
