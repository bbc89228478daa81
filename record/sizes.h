/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sizes.h - how large the tables are that a recording fills.
 */
#ifndef REC_SIZES_H
#define REC_SIZES_H

#include "base.h"

#define REC_MEMORY_MIN	   (16ull << 20)
#define REC_MEMORY_DEFAULT (256ull << 20)
#define REC_MEMORY_MAX	   (64ull << 30)

struct rec_sizes {
	uint32_t rows;	     /* of each of the two row tables: rows of one slice */
	uint32_t stacks;     /* distinct stacks of the recording */
	uint32_t ring_bytes; /* for stacks on their way; a power of two */
};

/*
 * Divides max_bytes (REC_MEMORY_MIN to REC_MEMORY_MAX): a quarter to the rows, half to the
 * stacks, up to a thirty-second to the ring; the rest is the recorder's own and for mapping
 * events. A stack_cnt that
 * is not 0 is taken as it is.
 */
struct rec_sizes rec_sizes_of(uint64_t max_bytes, uint64_t stack_cnt);

/*
 * Bytes of each CPU's buffer for mapping events, a power of two: all together take a sixteenth
 * of max_bytes, but a buffer is at most half a MiB and at least a page.
 */
size_t rec_event_bytes(uint64_t max_bytes, size_t cpu_cnt);

/*
 * What --max-memory bounds: max_bytes, and what more stacks need than it allows, if more were
 * asked for.
 */
uint64_t rec_memory_bound(uint64_t max_bytes, uint64_t stack_cnt);

#endif
