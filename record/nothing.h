/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nothing.h - why a recording is empty.
 */
#ifndef REC_NOTHING_H
#define REC_NOTHING_H

#include "base.h"
#include "cgroup.h"
#include "record_opts.h"

/* What is known at its end; intervals are those in rows. */
struct rec_nothing {
	uint64_t intervals, lost;
	uint64_t outside_limits;			/* -m and -M left out so many */
	uint64_t other_state, other_name, other_cgroup; /* so did --state, --comm, --cgroup */
	enum rec_population population;			/* of the cgroup */
	uint64_t id_cnt, ended, zombies;		/* of the ids of -p or -t, now */
	uint32_t sibling_cnt; /* one thread was asked for: others of its process */
	uint32_t tgid;	      /* its process */
};

/* Looks at what the filters stand for now. The counts of intervals are the caller's. */
void rec_nothing_look(const struct rec_opts *opts, struct rec_nothing *n);

/*
 * If a filter is why nothing was recorded, a sentence on the likely reason in buf, without a
 * full stop; else "".
 */
void rec_nothing_say(const struct rec_opts *opts, const struct rec_nothing *n, char *buf,
		     size_t size);

#endif
