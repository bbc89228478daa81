/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <unistd.h>
#include "sizes.h"
#include "wire.h"

/* A hash element's head and its share of the buckets (kernel/bpf/hashtab.c). */
#define ELEMENT_BYTES (48 + 32)
/* In both tables. */
#define ROW_BYTES 512
/*
 * Its place in the kernel's table, and its path in the recorder: 630 bytes of 40 frames of
 * which 10 are shared with no other stack, 1,200 of 20.
 */
#define STACK_BYTES 1024
#define RING_SHARE  32
#define EVENT_SHARE 16
#define EVENT_MAX   (512u << 10) /* of one CPU; a fork and exec take about 700 bytes */

static_assert(2 * (sizeof(struct ow_row_key) + sizeof(struct ow_row_value) + ELEMENT_BYTES) <=
		      ROW_BYTES,
	      "a row needs more than is set aside");

struct rec_sizes rec_sizes_of(uint64_t max_bytes, uint64_t stack_cnt)
{
	struct rec_sizes sizes = {
		.rows = (uint32_t)(max_bytes / 4 / ROW_BYTES),
		.stacks = (uint32_t)(stack_cnt ? stack_cnt : max_bytes / 2 / STACK_BYTES),
		.ring_bytes = 1,
	};

	while (sizes.ring_bytes <= max_bytes / RING_SHARE / 2 && sizes.ring_bytes < 1u << 30)
		sizes.ring_bytes *= 2;
	return sizes;
}

size_t rec_event_bytes(uint64_t max_bytes, size_t cpu_cnt)
{
	uint64_t share = max_bytes / EVENT_SHARE / (cpu_cnt ? cpu_cnt : 1);
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);

	while (bytes < EVENT_MAX && bytes * 2 <= share)
		bytes *= 2;
	return bytes;
}

uint64_t rec_memory_bound(uint64_t max_bytes, uint64_t stack_cnt)
{
	uint64_t room = max_bytes / 2 / STACK_BYTES;

	return stack_cnt > room ? max_bytes + (stack_cnt - room) * STACK_BYTES : max_bytes;
}
