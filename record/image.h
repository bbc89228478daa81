/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - a process image: one tgid between two execs. Owned by procs.c.
 */
#ifndef REC_IMAGE_H
#define REC_IMAGE_H

#include "ranges.h"
#include "types.h"

struct rec_image {
	struct rec_image *older; /* what the tgid ran before */
	uint32_t id;		 /* in the recording; 0 until it is described */
	char comm[64];
	size_t comm_len;
	uint32_t exe;	   /* place in rec_modules; 0 unknown */
	uint64_t start_ns; /* of its process, since boot; 0 unknown */
	uint64_t from_ns;  /* CLOCK_MONOTONIC, of its exec or fork; 0: before us */
	uint64_t end_ns;   /* CLOCK_MONOTONIC, of its exec or exit; 0 while it runs */
	struct rec_ranges ranges;
};

#endif
