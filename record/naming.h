/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naming.h - how long the naming of functions may take at the end of a recording.
 */
#ifndef REC_NAMING_H
#define REC_NAMING_H

#include "base.h"
#include "elfnamer.h"
#include "err.h"

struct rec_naming {
	struct elw_namer *namer; /* lent */
	struct elw_patience patience;
	uint64_t left_cnt; /* files without names for want of patience or of room */
};

/* Whether the time is up, or somebody said so. */
bool rec_naming_is_over(struct rec_naming *n);

/* ret, but 0 where that is a limit of the recording: the file is left then. err may be null. */
int rec_naming_leave_at_limit(struct rec_naming *n, int ret, struct owt_err *err) OWT_MUST_CHECK;

#endif
