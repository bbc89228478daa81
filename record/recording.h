/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recording.h - one recording from its first slice to its END: what the stages of main share.
 */
#ifndef REC_RECORDING_H
#define REC_RECORDING_H

#include "base.h"
#include "command.h"
#include "cost.h"
#include "drain.h"
#include "err.h"
#include "hosttime.h"
#include "kallsyms.h"
#include "live.h"
#include "output.h"
#include "priority.h"
#include "record_opts.h"
#include "session.h"
#include "statshelper.h"

struct rec_recording {
	const struct rec_opts *opts;
	struct rec_kallsyms *kallsyms;
	struct rec_session *session;
	struct rec_output output;
	struct owt_writer *writer;
	struct rec_modules *modules;
	struct rec_procs *procs;
	struct rec_mapevents *events; /* null where they cannot be had */
	struct rec_drain *drain;
	struct rec_memory memory;
	struct elw_namer *namer;
	struct rec_statshelper *stats;
	struct rec_command command;
	struct rec_live live;
	struct rec_cost cost;
	struct rec_hosttime host_before; /* when the recording began */
	bool takes_interrupts_out;	 /* the kernel, of the time of threads */
	struct rec_priority priority;
	int signal_fd;
	uint64_t start_ns, stop_ns;
	uint64_t committed_bytes; /* end of the last slice written */
	uint64_t bytes;		  /* of the whole file, once it is closed */
	uint64_t slices;	  /* that hold recorded data */
	uint64_t unnamed_cnt;	  /* files whose functions there was no time or room to name */
	uint64_t rows, stacks;
	char why_nothing[320]; /* a filter is why nothing was recorded; else "" */
};

/*
 * The stages, in order. Each returns 0 or a negative code; rec_recording_done() cleans up
 * after any of them, keeping what is committed of the file.
 */
int rec_recording_prepare(struct rec_recording *r, const struct rec_opts *opts,
			  struct owt_err *err) OWT_MUST_CHECK;
int rec_recording_begin(struct rec_recording *r, struct owt_err *err) OWT_MUST_CHECK;
int rec_recording_run(struct rec_recording *r, struct owt_err *err) OWT_MUST_CHECK;
int rec_recording_finish(struct rec_recording *r, struct owt_err *err) OWT_MUST_CHECK;
void rec_recording_done(struct rec_recording *r);

#endif
