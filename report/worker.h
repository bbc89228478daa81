/* SPDX-License-Identifier: Apache-2.0 */
/*
 * worker.h - runs a job on a file named by a recording in a child process that can do no
 * harm: no new privileges, no core, 30 s of CPU, 4 GiB of memory, no descriptor but the file
 * and the pipe its answer goes through. It may crash; that costs its answer only.
 */
#ifndef REP_WORKER_H
#define REP_WORKER_H

#include "base.h"

/* Runs in the child: reads from fd, writes its answer to out_fd; nonzero when it failed. */
typedef int rep_job(int fd, int out_fd, const void *arg);

/*
 * Runs job(fd, ..., arg), or one that needs no file when fd is -1, and collects what it writes, at
 * most limit bytes, into *out_answer, which the caller frees. 0; -ECHILD when the child failed,
 * crashed or said too much; another -errno when there was no child.
 */
int rep_worker_run(rep_job *job, int fd, const void *arg, size_t limit, char **out_answer,
		   size_t *out_len) OWT_MUST_CHECK;

/* Writes all of it to fd, for jobs. 0 or -errno. */
int rep_worker_write(int fd, const void *bytes, size_t len) OWT_MUST_CHECK;

#endif
