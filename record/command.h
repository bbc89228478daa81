/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - the traced command: forked first, let go once recording has begun.
 */
#ifndef REC_COMMAND_H
#define REC_COMMAND_H

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>
#include "base.h"
#include "err.h"

struct rec_command {
	pid_t pid;     /* 0: none, or reaped */
	int go_fd;     /* closing it without a byte makes the child exit */
	int failed_fd; /* the child's errno when exec failed; closed by exec */
	int status;    /* as wait() gives it, once reaped */
	struct rusage usage; /* its own and its children's, once reaped */
	bool is_over;
};

/* What the command is to have as if we were not there. */
struct rec_environment {
	sigset_t signals; /* blocked ones */
	struct rlimit fds;
	bool stdout_is_taken; /* by the recording: it gets stderr in its place */
};

/* Forks a child that waits, and will run in *env. */
int rec_command_fork(char **argv, const struct rec_environment *env, struct rec_command *out,
		     struct owt_err *err) OWT_MUST_CHECK;

/* Lets it go and waits until it has called exec, or failed to. */
int rec_command_go(struct rec_command *c, const char *name, struct owt_err *err) OWT_MUST_CHECK;

/* Reaps it if it has ended; true when it has, now or before. */
bool rec_command_reap(struct rec_command *c);

/* Ends a command that still runs with SIGTERM. Accepts a zeroed struct. */
void rec_command_done(struct rec_command *c);

#endif
