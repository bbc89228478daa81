/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfworker.h - runs a job on somebody else's file in a child process that can do no harm: no
 * privileges, no core, 30 s of CPU, 4 GiB of memory, no descriptor but the file and the pipe
 * its answer goes through. It may crash; that costs its answer only.
 */
#ifndef ELW_ELFWORKER_H
#define ELW_ELFWORKER_H

#include "base.h"

/* How long an answer is waited for. */
struct elw_patience {
	uint64_t until_ns;	    /* CLOCK_MONOTONIC */
	int wake_fd;		    /* -1: none */
	bool (*is_over)(void *ctx); /* asked whenever wake_fd is readable: true gives up */
	void *ctx;
};

/* Runs in the child: reads from fd, writes its answer to out_fd; nonzero when it failed. */
typedef int elw_job(int fd, int out_fd, const void *arg);

/*
 * Runs job(fd, ..., arg), or one that needs no file when fd is -1, and collects what it writes,
 * at most limit bytes, into *out_answer, which the caller frees. 0; -ECHILD when the child
 * failed, crashed or said too much; another -errno when there was no child.
 */
int elw_worker_run(elw_job *job, int fd, const void *arg, size_t limit, char **out_answer,
		   size_t *out_len) OWT_MUST_CHECK;

/*
 * Collects what comes out of fd until its other end is closed; patience may be null. 0 and
 * *out_answer, which the caller frees; -ECHILD when it is more than limit bytes, -ETIMEDOUT
 * when the patience is over.
 */
int elw_collect(int fd, size_t limit, const struct elw_patience *patience, char **out_answer,
		size_t *out_len) OWT_MUST_CHECK;

/*
 * For a child: gives up what elw_worker_run() says, and all descriptors but stderr, fd and
 * out_fd, which become ELW_KEPT_FD and the next one; fd may be -1. It is killed when its
 * parent ends, if that may kill it then. 0 or -1.
 */
int elw_lock_up(int fd, int out_fd) OWT_MUST_CHECK;
#define ELW_KEPT_FD 3

/* Writes all of it to fd, for jobs. 0 or -errno. */
int elw_worker_write(int fd, const void *bytes, size_t len) OWT_MUST_CHECK;

#endif
