/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ranges.h - the executable mappings of one process image, in the order they were made.
 */
#ifndef REC_RANGES_H
#define REC_RANGES_H

#include "base.h"

struct rec_range {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint32_t module; /* place in rec_modules; 0: anonymous memory without a name */
	bool written;	 /* stands in the recording */
};

/* A zeroed struct is empty. */
struct rec_ranges {
	struct rec_range *items;
	size_t cnt, cap;
	uint64_t max_end; /* nothing overlaps what begins here or later */
};

/* Adds one, unless the newest that overlaps it is the same. 0, -ENOMEM or -ENOSPC. */
int rec_ranges_add(struct rec_ranges *r, const struct rec_range *range) OWT_MUST_CHECK;

/* The newest that covers addr, or null. Valid until the next addition. */
const struct rec_range *rec_ranges_find(const struct rec_ranges *r, uint64_t addr);

/* Makes to, which is empty, the same, with nothing written. 0 or -ENOMEM. */
int rec_ranges_copy(struct rec_ranges *to, const struct rec_ranges *from) OWT_MUST_CHECK;

void rec_ranges_done(struct rec_ranges *r);

#endif
