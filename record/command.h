/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.h - the traced command: forked first, let go once recording has begun.
 */
#ifndef REC_COMMAND_H
#define REC_COMMAND_H

#include <signal.h>
#include <sys/types.h>
#include "base.h"
#include "err.h"

struct rec_command {
	pid_t pid;     /* 0: none, or reaped */
	int go_fd;     /* closing it without a byte makes the child exit */
	int failed_fd; /* the child's errno when exec failed; closed by exec */
	int status;    /* as wait() gives it, once reaped */
	bool is_over;
};

/*
 * Forks a child that waits; it will run with the signal mask *mask. When stdout holds the
 * recording the child gets stderr in its place.
 */
int rec_command_fork(char **argv, const sigset_t *mask, bool stdout_is_taken,
		     struct rec_command *out,
		     struct owt_err *err) OWT_MUST_CHECK;

/* Lets it go and waits until it has called exec, or failed to. */
int rec_command_go(struct rec_command *c, const char *name, struct owt_err *err) OWT_MUST_CHECK;

/* Reaps it if it has ended; true when it has, now or before. */
bool rec_command_reap(struct rec_command *c);

/* Ends a command that still runs with SIGTERM. Accepts a zeroed struct. */
void rec_command_done(struct rec_command *c);

#endif
