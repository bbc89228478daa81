/* SPDX-License-Identifier: Apache-2.0 */
/*
 * drain.h - moves what the kernel programs summed into the recording; the only place that
 * knows both bpf/wire.h and format/types.h.
 */
#ifndef REC_DRAIN_H
#define REC_DRAIN_H

#include "base.h"
#include "err.h"
#include "memory.h"
#include "procs.h"
#include "session.h"
#include "writer.h"

struct rec_drain;

/* All of these must outlive the drain; events is null where they cannot be had. */
int rec_drain_new(struct rec_session *session, struct owt_writer *w, struct rec_procs *procs,
		  struct rec_mapevents *events, struct rec_drain **out,
		  struct owt_err *err) OWT_MUST_CHECK;

/* Stacks for which there is no memory are counted as too many for the table. Lent. */
void rec_drain_limit(struct rec_drain *d, struct rec_memory *memory);

/* The recording began: slices count from here. */
void rec_drain_begin(struct rec_drain *d, uint64_t start_ns);

/*
 * Readable when the ring of stacks or the row map has become half full, until the ring is read.
 * It may be so at other times, too.
 */
int rec_drain_fd(const struct rec_drain *d);

/* Whether a slice should end now, because of what it holds already. */
bool rec_drain_is_pressed(const struct rec_drain *d);

/* Takes the stacks that were sent; to be called often enough that the ring never fills. */
int rec_drain_poll(struct rec_drain *d, struct owt_err *err) OWT_MUST_CHECK;

/* Takes the rows too and closes a slice that ends now, or at latest_ns if that has passed. */
int rec_drain_slice(struct rec_drain *d, uint64_t latest_ns, struct owt_err *err) OWT_MUST_CHECK;

/* Calls fn for each frame of each kernel stack, with repeats. */
void rec_drain_kernel_frames(const struct rec_drain *d, void (*fn)(void *ctx, uint64_t addr),
			     void *ctx);

struct rec_totals {
	uint64_t intervals, filtered, filtered_ns, open, fallbacks;
	uint64_t other_state, other_name, other_cgroup; /* left out as they began */
	uint64_t accounts_lost; /* of threads that ended, or that the file had no room for */
	struct owt_losses losses;
};

/* Open intervals could not be told: a loss of this recording. */
void rec_drain_lost_open(struct rec_drain *d);

/* As of the last slice. */
const struct rec_totals *rec_drain_totals(const struct rec_drain *d);

void rec_drain_free(struct rec_drain *d);

#endif
