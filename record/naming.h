/* SPDX-License-Identifier: Apache-2.0 */
/*
 * naming.h - how long the naming of functions may take at the end of a recording.
 */
#ifndef REC_NAMING_H
#define REC_NAMING_H

#include "base.h"
#include "elfnamer.h"

struct rec_naming {
	struct elw_namer *namer; /* lent */
	struct elw_patience patience;
	uint64_t left_cnt; /* files that were not read for want of patience */
};

/* Whether the time is up, or somebody said so. */
bool rec_naming_is_over(struct rec_naming *n);

#endif
