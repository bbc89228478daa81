/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
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
