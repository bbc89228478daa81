/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cost.h - what recording costs: noted while it runs, written as META when it ends.
 */
#ifndef REC_COST_H
#define REC_COST_H

#include <sys/resource.h>
#include "base.h"
#include "bpfstats.h"
#include "err.h"
#include "writer.h"

struct rec_delay {
	uint64_t cnt, sum_ns, worst_ns;
};

struct rec_cost {
	uint64_t start_us;	  /* CPU time until the recording began */
	struct rec_delay drain;	  /* from when a slice was due to when it was in the file */
	struct rec_delay poll;	  /* from one reading of the ring to the next */
	uint64_t polled_ns;	  /* the latest one; 0: none */
	struct rec_bpfstats bpf;
};

void rec_cost_begin(struct rec_cost *c, struct rec_statshelper *helper,
		    const struct rec_session *s, uint64_t now_ns);
/* The ring is being read. */
void rec_cost_polled(struct rec_cost *c, uint64_t now_ns);
/* A slice that was due is in the file. */
void rec_cost_drained(struct rec_cost *c, uint64_t due_ns, uint64_t now_ns);

/*
 * Writes it: CPU time of this process and its children so far, but for *command, that of a
 * child that was none of ours; null without one.
 */
int rec_cost_write(const struct rec_cost *c, struct owt_writer *w, const struct rusage *command,
		   struct owt_err *err) OWT_MUST_CHECK;

#endif
