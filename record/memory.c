/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <unistd.h>
#include "memory.h"
#include "parse.h"

#define OWN_MIN (4ull << 20) /* a recorder that can keep nothing is of no use */
/* Not for what is kept: a slice on its way out; and one part in so many, for tables that double. */
#define SLICE_BYTES (1ull << 20)
#define RESERVE	    4u
#define LOOK_EACH   64u /* a kept stack takes about a kilobyte */

void rec_memory_begin(struct rec_memory *m, uint64_t max_bytes, uint64_t kernel_bytes,
		      uint64_t event_bytes)
{
	uint64_t taken = owt_sat_add(kernel_bytes, event_bytes);

	*m = (struct rec_memory){
		.kernel_bytes = kernel_bytes,
		.event_bytes = event_bytes,
		.own_max = max_bytes > taken + OWN_MIN ? max_bytes - taken : OWN_MIN,
		.statm_fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC),
	};
}

/* "SIZE RESIDENT SHARED ...", in pages; shared is all that is not anonymous. */
uint64_t rec_memory_own(struct rec_memory *m)
{
	uint64_t numbers[3];
	char text[128];
	ssize_t n = pread(m->statm_fd, text, sizeof(text), 0);
	const char *pos = text, *end = text + (n > 0 ? n : 0);

	for (size_t i = 0; i < OWT_ARRAY_SIZE(numbers); i++) {
		if (owt_take_u64(&pos, end, 10, &numbers[i]) || pos == end)
			return 0;
		pos++;
	}
	return numbers[1] > numbers[2] ? (numbers[1] - numbers[2]) * (uint64_t)sysconf(_SC_PAGESIZE)
				       : 0;
}

bool rec_memory_is_full(struct rec_memory *m)
{
	if (m->statm_fd >= 0 && m->asked++ % LOOK_EACH == 0)
		m->is_full = rec_memory_own(m) > m->own_max - m->own_max / RESERVE - SLICE_BYTES;
	return m->is_full;
}

void rec_memory_done(struct rec_memory *m)
{
	if (m->statm_fd >= 0)
		close(m->statm_fd);
	m->statm_fd = -1;
}
