/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procs.h - processes and their address spaces over time. What the kernel's mapping events
 * tell is kept in memory; /proc is read for processes older than the recording. A process is
 * described in the recording when a row or stack names it, and from then on as it changes.
 */
#ifndef REC_PROCS_H
#define REC_PROCS_H

#include "base.h"
#include "err.h"
#include "mapevents.h"
#include "modules.h"
#include "writer.h"

struct rec_procs;

/* Writer and modules must outlive it. */
int rec_procs_new(struct owt_writer *w, struct rec_modules *modules,
		  struct rec_procs **out) OWT_MUST_CHECK;

/* Whether mapping events tell all from now on; otherwise /proc is read again at need. */
void rec_procs_trust_events(struct rec_procs *p, bool trust);

/*
 * From since_ns on the instants in image keys tell each change of a process' mappings, and
 * before, and where since_ns is 0, execs only.
 */
void rec_procs_trust_instants(struct rec_procs *p, uint64_t since_ns);

/* Keeps at most cnt mappings in all images together; more are read from /proc at need. */
void rec_procs_limit(struct rec_procs *p, size_t cnt);

/* A rec_mapevent_fn; ctx is the struct rec_procs. In order of time. */
int rec_procs_event(void *ctx, const struct rec_mapevent *event, struct owt_err *err);

/*
 * Which of a tgid's images: that in force at image_ns, the instant of its last change; 0: of none
 * since the recording began. The other two say between which times its stack was taken.
 */
struct rec_image_key {
	uint32_t tgid;
	uint64_t image_ns;
	uint64_t since_ns, until_ns;
};

/* A process' first stack has come, its rows come later: what /proc tells of it is read now. */
int rec_procs_meet(struct rec_procs *p, uint32_t tgid, struct owt_err *err) OWT_MUST_CHECK;

/*
 * An image appears in a row, or owns a user stack with these addresses (cnt 0: none known): it
 * is described, and the functions at the addresses will be named. *out_id is its id in the
 * recording, 0 when nothing is known of it; may be null.
 */
int rec_procs_see(struct rec_procs *p, const struct rec_image_key *key, const uint64_t *addrs,
		  size_t cnt, uint32_t *out_id, struct owt_err *err) OWT_MUST_CHECK;

/* A slice has ended: images that ended before slice_start_ns are forgotten. */
void rec_procs_end_slice(struct rec_procs *p, uint64_t slice_start_ns);

/* Records the names of touched code that processes made at run time (perf-PID.map). */
int rec_procs_write_symbols(struct rec_procs *p, struct rec_naming *naming,
			    struct owt_err *err) OWT_MUST_CHECK;

/* Processes that had a user stack but no mapping that could be read. */
uint64_t rec_procs_lost(const struct rec_procs *p);

void rec_procs_free(struct rec_procs *p);

#endif
