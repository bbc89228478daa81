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
	bool is_file;	 /* its functions are known by their place in the file */
	bool is_read;	 /* known from /proc, not from the event that made it */
	bool is_unknown; /* what was there is not known */
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

/* Whether with it some address means another place of a file than it did. */
bool rec_ranges_contradict(const struct rec_ranges *r, const struct rec_range *range);

/* Whether they are the same in the same order. */
bool rec_ranges_equal(const struct rec_ranges *a, const struct rec_ranges *b);

/* Takes out what lies within the range. */
void rec_ranges_remove_covered(struct rec_ranges *r, const struct rec_range *range);

/* Takes out all of which some address means something else in the other. */
void rec_ranges_remove_contradicted(struct rec_ranges *r, const struct rec_ranges *other);

/* What was read and overlaps the range is unknown. */
void rec_ranges_doubt(struct rec_ranges *r, const struct rec_range *range);

/* The newest that covers addr, or null. Valid until the next addition. */
const struct rec_range *rec_ranges_find(const struct rec_ranges *r, uint64_t addr);

/* Makes to, which is empty, the same, with nothing written. 0 or -ENOMEM. */
int rec_ranges_copy(struct rec_ranges *to, const struct rec_ranges *from) OWT_MUST_CHECK;

void rec_ranges_done(struct rec_ranges *r);

#endif
