/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * bounds.h - -m and -M: whole microseconds, both inclusive. An interval of 5,000,999 ns is one
 * of 5,000 us. Compiled into the programs and into the recorder.
 */
#ifndef OW_BOUNDS_H
#define OW_BOUNDS_H

#include <linux/types.h>

#define OW_NS_PER_US 1000ULL
#define OW_US_MAX    (~0ULL / OW_NS_PER_US) /* what nanoseconds in 64 bits can hold */

/* The shortest and the longest interval, in ns, of so many microseconds. */
static inline __u64 ow_shortest_ns(__u64 us)
{
	return us > OW_US_MAX ? ~0ULL : us * OW_NS_PER_US;
}

static inline __u64 ow_longest_ns(__u64 us)
{
	return us >= OW_US_MAX ? ~0ULL : us * OW_NS_PER_US + OW_NS_PER_US - 1;
}

static inline int ow_is_within(__u64 ns, __u64 min_ns, __u64 max_ns)
{
	return ns >= min_ns && ns <= max_ns;
}

#endif
