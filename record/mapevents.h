/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapevents.h - what happens to address spaces while we record: one dummy perf event a CPU,
 * whose side records tell of mappings, execs, forks and exits of all processes.
 */
#ifndef REC_MAPEVENTS_H
#define REC_MAPEVENTS_H

#include "base.h"
#include "err.h"
#include "procmaps.h"
#include "types.h"

struct rec_mapevents;

enum rec_mapevent_type {
	REC_EVENT_MAP,	/* an executable mapping was made */
	REC_EVENT_EXEC, /* the image is a new one, its mappings follow */
	REC_EVENT_FORK, /* a process was made, with its parent's mappings */
	REC_EVENT_EXIT	/* the process' last thread is gone, or one of its threads */
};

struct rec_mapevent {
	enum rec_mapevent_type type;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t tgid, tid;
	uint32_t parent_tgid;	 /* FORK */
	struct owt_string comm;	 /* EXEC */
	struct rec_map map;	 /* MAP; the path is not escaped */
	const uint8_t *build_id; /* MAP; null where the kernel gave an inode instead */
	size_t build_id_len;
};

/* 0, or a failure that says why such events cannot be had. */
int rec_mapevents_open(struct rec_mapevents **out, struct owt_err *err) OWT_MUST_CHECK;

/* 0 or a negative code, which ends the reading. Pointers in the event are lent. */
typedef int rec_mapevent_fn(void *ctx, const struct rec_mapevent *event, struct owt_err *err);

/*
 * Hands out, in order of time, what happened until until_ns; with 0, until so shortly before
 * now that no CPU can still be writing an older record.
 */
int rec_mapevents_read(struct rec_mapevents *m, uint64_t until_ns, rec_mapevent_fn *fn, void *ctx,
		       struct owt_err *err) OWT_MUST_CHECK;

/*
 * Records that the kernel dropped because a buffer was full; and one for each CPU that came
 * online while we record, because what happened there at first was not seen.
 */
uint64_t rec_mapevents_lost(const struct rec_mapevents *m);

/* Takes one record of len bytes apart: 1, or 0 for one of another kind or shape. For tests. */
int rec_mapevent_parse(const uint8_t *record, size_t len, struct rec_mapevent *out);

/* Accepts null. */
void rec_mapevents_free(struct rec_mapevents *m);

#endif
