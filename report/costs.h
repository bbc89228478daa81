/* SPDX-License-Identifier: Apache-2.0 */
/*
 * costs.h - what the recorder noted of its own cost, out of the metadata.
 */
#ifndef REP_COSTS_H
#define REP_COSTS_H

#include "trace.h"

/* A program in the kernel: how often it ran while that was measured, and how long. */
struct rep_program {
	struct owt_string name; /* the trace's */
	uint64_t runs, run_ns;
};
#define REP_PROGRAMS_MAX 16

struct rep_cost {
	uint64_t user_us, system_us, start_us;
	uint64_t peak_rss_bytes;
	uint64_t drains, drain_mean_us, drain_worst_us, poll_worst_us;
	const struct owt_string *how; /* the programs were measured; null: the file does not say */
	uint64_t windows, window_us;
	struct rep_program programs[REP_PROGRAMS_MAX];
	size_t program_cnt;
};

/* False when the recorder noted nothing. */
bool rep_cost_read(const struct rep_trace *t, struct rep_cost *out);

/* Whether a key of the metadata is one of those above, or of reconcile.h. */
bool rep_cost_is_key(const struct owt_string *key);

/* A number of the metadata; 0 where there is none. */
uint64_t rep_trace_number(const struct rep_trace *t, const char *key);

#endif
