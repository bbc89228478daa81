/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfworker.h - runs a job on somebody else's file in a child process that can do no harm: no
 * privileges, no core, 30 s of CPU, 4 GiB of memory, no descriptor but the file and the pipe
 * its answer goes through. It may crash; that costs its answer only.
 */
#ifndef ELW_ELFWORKER_H
#define ELW_ELFWORKER_H

#include "base.h"

/* Runs in the child: reads from fd, writes its answer to out_fd; nonzero when it failed. */
typedef int elw_job(int fd, int out_fd, const void *arg);

/*
 * Runs job(fd, ..., arg), or one that needs no file when fd is -1, and collects what it writes,
 * at most limit bytes, into *out_answer, which the caller frees. 0; -ECHILD when the child
 * failed, crashed or said too much; another -errno when there was no child.
 */
int elw_worker_run(elw_job *job, int fd, const void *arg, size_t limit, char **out_answer,
		   size_t *out_len) OWT_MUST_CHECK;

/* Writes all of it to fd, for jobs. 0 or -errno. */
int elw_worker_write(int fd, const void *bytes, size_t len) OWT_MUST_CHECK;

#endif
