/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - keeps the recorder within --max-memory: what the kernel took for tables, rings and
 * buffers is known once they stand, the rest is the recorder's own.
 */
#ifndef REC_MEMORY_H
#define REC_MEMORY_H

#include "base.h"

struct rec_memory {
	uint64_t kernel_bytes; /* tables and rings of the programs */
	uint64_t event_bytes;  /* buffers of mapping events */
	uint64_t own_max;      /* anonymous memory of this process */
	int statm_fd;	       /* -1: not open, and nothing is ever full */
	unsigned asked;
	bool is_full;
};

/* What is left of max_bytes is the recorder's own; at least a little. */
void rec_memory_begin(struct rec_memory *m, uint64_t max_bytes, uint64_t kernel_bytes,
		      uint64_t event_bytes);

/* Whether nothing more should be kept. Looks again after some calls. */
bool rec_memory_is_full(struct rec_memory *m);

/* Looks now: anonymous memory of this process, in bytes; 0 when that is not known. */
uint64_t rec_memory_own(struct rec_memory *m);

void rec_memory_done(struct rec_memory *m);

#endif
