/* SPDX-License-Identifier: Apache-2.0 */
/*
 * select.h - which rows of a recording are asked for. All that is given must hold.
 */
#ifndef REP_SELECT_H
#define REP_SELECT_H

#include "state.h"
#include "trace.h"

struct rep_select_opts {
	uint32_t kinds; /* set bits of enum owt_kind */
	/* Lists with commas, of the target; null: any. Numbers have been checked. */
	const char *tgids, *tids;
	const char *comms; /* as outputs show them, escapes and all */
	struct rep_states states;
	/* Since the start of the recording. Slices that lie in it, even in part, count whole. */
	uint64_t from_ns, to_ns;
};

struct rep_select;

/*
 * Rows of slices need a trace that keeps them. opts and trace must outlive it; the caller
 * ends *out with rep_select_free(). 0 or -ENOMEM.
 */
int rep_select_new(const struct rep_trace *trace, const struct rep_select_opts *opts,
		   struct rep_budget *budget, struct rep_select **out) OWT_MUST_CHECK;

bool rep_select_row(const struct rep_select *s, const struct rep_row *row);

/* The time that the chosen slices cover, since the start of the recording; 0, 0 when none. */
void rep_select_span(const struct rep_select *s, uint64_t *out_from_ns, uint64_t *out_to_ns);

/* True for a list of numbers from 0 to 2^32 - 1 with commas between them. */
bool rep_is_id_list(const char *text);

/* Accepts null. */
void rep_select_free(struct rep_select *s);

#endif
