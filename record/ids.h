/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids.h - what the ids of -p and -t stand for on this host.
 */
#ifndef REC_IDS_H
#define REC_IDS_H

#include "base.h"
#include "record_opts.h"

struct rec_task {
	uint32_t tgid;	    /* of its process */
	uint32_t inner_tid; /* its id in its own PID namespace */
	uint32_t thread_cnt;
	char state; /* as in /proc/PID/status: R, S, D, Z ... */
};

/* Parses the text of /proc/ID/status. 0 or -EINVAL. */
int rec_task_parse(const char *status, struct rec_task *out) OWT_MUST_CHECK;

/* 0, or a negative code when there is no thread of that id. */
int rec_task_look(uint32_t tid, struct rec_task *out) OWT_MUST_CHECK;

/* Whether id is one of what is asked for with filter: a process for REC_TGIDS, else a thread. */
bool rec_id_is_there(uint32_t id, enum rec_filter filter);

/*
 * How many of the ids in opts stand for nothing; buf gets a sentence on the first of them, with
 * the likely reason, or "".
 */
size_t rec_ids_missing(const struct rec_opts *opts, char *buf, size_t size);

#endif
