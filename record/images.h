/* SPDX-License-Identifier: Apache-2.0 */
/*
 * images.h - what a tgid had mapped, and when. An image is a set of mappings of which no two mean
 * different things at one address; an epoch is a time during which an image was in force.
 */
#ifndef REC_IMAGES_H
#define REC_IMAGES_H

#include "ranges.h"
#include "types.h"

struct rec_image {
	struct rec_image *older; /* made before it */
	uint32_t id;		 /* in the recording; 0 until it is described */
	uint32_t generation;	 /* of the tgid's execs and processes */
	size_t epoch_cnt;	 /* epochs that have it */
	char comm[64];
	size_t comm_len;
	uint32_t exe;	   /* place in rec_modules; 0 unknown */
	uint64_t start_ns; /* of its process, since boot; 0 unknown */
	struct rec_ranges ranges;
};

struct rec_epoch {
	uint64_t from_ns; /* CLOCK_MONOTONIC; 0: before us. It lasts until the next begins */
	struct rec_image *image;
};

/* A zeroed struct is empty. */
struct rec_images {
	struct rec_image *newest;
	struct rec_epoch *epochs; /* in order of time */
	size_t cnt, cap;
	uint64_t end_ns; /* of the last epoch: the process' exit; 0 while it runs */
	uint32_t generation;
	bool is_cut; /* older epochs of this generation were dropped */
	size_t range_cnt; /* in all images */
};

/* What is in force now, or null. */
struct rec_image *rec_images_now(const struct rec_images *im);

/* What was in force at that time; before the first epoch, that one, unless some were dropped. */
struct rec_image *rec_images_at(const struct rec_images *im, uint64_t at_ns);

/* An exec, or another process: an image without mappings from now on. Null: no memory. */
struct rec_image *rec_images_begin(struct rec_images *im, uint64_t now_ns);

/*
 * An executable mapping. Where it gives an address another meaning, another image is in force
 * from now on: one of this generation that is the same, or a new one, as long as all images
 * together may have may_add ranges more. 0, -ENOMEM, or -ENOSPC: it is not noted.
 */
int rec_images_map(struct rec_images *im, uint64_t now_ns, const struct rec_range *range,
		   size_t may_add) OWT_MUST_CHECK;

/*
 * A mapping is about to be added that was made before all was read from /proc: what was read in
 * its place may lie there since then only, and is taken out of the images not yet described.
 */
void rec_images_doubt(struct rec_images *im, const struct rec_range *range);

/*
 * The last epoch was begun and its mappings read because something had changed: if it was no more
 * than mappings added, it is one with the epoch before.
 */
int rec_images_fold(struct rec_images *im) OWT_MUST_CHECK;

/*
 * For rows that do not say which epoch is theirs, only the time it lies in: the one image that was
 * in force from since_ns to until_ns, within the generation of gen_ns; or one that has only what
 * all that were agree on. *out null: none is known. 0 or -ENOMEM.
 */
int rec_images_between(struct rec_images *im, uint64_t gen_ns, uint64_t since_ns, uint64_t until_ns,
		       struct rec_image **out) OWT_MUST_CHECK;

/* Generations that ended before that time can be named no more. */
void rec_images_forget(struct rec_images *im, uint64_t before_ns);

void rec_images_done(struct rec_images *im);

#endif
