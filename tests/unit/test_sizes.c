/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <unistd.h>
#include "sizes.h"
#include "wire.h"

/* What the kernel takes for the tables: kernel/bpf/hashtab.c, ringbuf.c. */
static uint64_t kernel_bytes(struct rec_sizes s)
{
	uint64_t head = 48 + 32;

	return 2 * (uint64_t)s.rows *
		       (sizeof(struct ow_row_key) + sizeof(struct ow_row_value) + head) +
	       s.stacks * (16 + head) + s.ring_bytes;
}

Test(sizes, defaults_exceed_the_fixed_ones_of_offwaketime)
{
	struct rec_sizes s = rec_sizes_of(REC_MEMORY_DEFAULT, 0);

	cr_expect_eq(s.stacks, 131072);
	cr_expect_eq(s.rows, 131072);
	cr_expect_eq(s.ring_bytes, 8u << 20);
}

Test(sizes, tables_fit_the_memory_given)
{
	for (uint64_t max = REC_MEMORY_MIN; max <= REC_MEMORY_MAX; max = max * 3 / 2) {
		struct rec_sizes s = rec_sizes_of(max, 0);

		cr_expect_leq(kernel_bytes(s), max * 3 / 4);
		cr_expect_eq(s.ring_bytes & (s.ring_bytes - 1), 0);
		cr_expect_geq(s.ring_bytes, 65536); /* the largest page */
	}
}

Test(sizes, a_number_of_stacks_is_taken_as_it_is)
{
	cr_expect_eq(rec_sizes_of(REC_MEMORY_MIN, 1).stacks, 1);
	cr_expect_eq(rec_sizes_of(REC_MEMORY_MIN, 1 << 26).stacks, 1 << 26);
}

Test(sizes, buffers_of_all_cpus_share_a_sixteenth)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t cpus = 1; cpus <= 4096; cpus *= 2) {
		size_t bytes = rec_event_bytes(REC_MEMORY_DEFAULT, cpus);

		cr_expect_eq(bytes & (bytes - 1), 0);
		cr_expect(bytes == page || bytes * cpus <= REC_MEMORY_DEFAULT / 16, "%zu CPUs",
			  cpus);
		cr_expect_geq(bytes, page);
		cr_expect_leq(bytes, 512u << 10);
	}
	cr_expect_eq(rec_event_bytes(REC_MEMORY_DEFAULT, 2), 512u << 10);
	cr_expect_eq(rec_event_bytes(REC_MEMORY_DEFAULT, 256), 64u << 10);
}

Test(sizes, more_stacks_than_fit_enlarge_the_bound)
{
	cr_expect_eq(rec_memory_bound(REC_MEMORY_DEFAULT, 0), REC_MEMORY_DEFAULT);
	cr_expect_eq(rec_memory_bound(REC_MEMORY_DEFAULT, 131072), REC_MEMORY_DEFAULT);
	cr_expect_eq(rec_memory_bound(REC_MEMORY_DEFAULT, 131073), REC_MEMORY_DEFAULT + 1024);
}
