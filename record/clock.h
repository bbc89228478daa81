/* SPDX-License-Identifier: Apache-2.0 */
/*
 * clock.h - the clocks of a recording.
 */
#ifndef REC_CLOCK_H
#define REC_CLOCK_H

#include <time.h>
#include "types.h"

static inline uint64_t rec_clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The clock of bpf_ktime_get_ns(). */
static inline uint64_t rec_monotonic_ns(void)
{
	return rec_clock_ns(CLOCK_MONOTONIC);
}

static inline struct owt_clock rec_clock_now(void)
{
	return (struct owt_clock){ rec_monotonic_ns(), rec_clock_ns(CLOCK_REALTIME),
				   rec_clock_ns(CLOCK_BOOTTIME) };
}

#endif
