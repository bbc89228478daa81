/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base.h - what every room leans on: attributes, array size, sums that cannot wrap.
 */
#ifndef OWT_BASE_H
#define OWT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OWT_ARRAY_SIZE(a)   (sizeof(a) / sizeof((a)[0]))
#define OWT_MUST_CHECK      __attribute__((warn_unused_result))
#define OWT_PRINTF(f, a)    __attribute__((format(printf, f, a)))
#define OWT_NORETURN        __attribute__((noreturn))

/* a + b, or UINT64_MAX when that does not fit. */
static inline uint64_t owt_sat_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* True when count elements of size bytes each fit a size_t; *out_bytes is their size then. */
static inline bool owt_fits(uint64_t count, size_t size, size_t *out_bytes)
{
	return !__builtin_mul_overflow(count, size, out_bytes);
}

/* Total order for qsort of 64-bit values: never a difference cut to an int. */
static inline int owt_cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

#endif
