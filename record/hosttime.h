/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hosttime.h - time of the CPUs that the kernel's accounting of threads may leave out.
 */
#ifndef REC_HOSTTIME_H
#define REC_HOSTTIME_H

#include "base.h"

/* Sums over the CPUs since boot. */
struct rec_hosttime {
	uint64_t steal_ns;     /* the host ran something else */
	uint64_t interrupt_ns; /* hard and soft interrupts */
};

/* Parses /proc/stat; tick_ns is its unit. False, *out untouched, when it has no such line. */
bool rec_hosttime_parse(const char *text, size_t len, uint64_t tick_ns, struct rec_hosttime *out);

/* As of now; zeros where it cannot be read. */
struct rec_hosttime rec_hosttime_now(void);

/*
 * What was stolen in between, with one unit of /proc/stat more where anything ever is; what
 * interrupts took. 0 where a sum went back, as hosts let it, or could not be read.
 */
uint64_t rec_hosttime_steal_ns(const struct rec_hosttime *before, const struct rec_hosttime *after);
uint64_t rec_hosttime_interrupt_ns(const struct rec_hosttime *before,
				   const struct rec_hosttime *after);

/* How far apart two ticks of the kernel's timer are. */
uint64_t rec_tick_ns(void);

#endif
