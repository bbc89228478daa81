/* SPDX-License-Identifier: Apache-2.0 */
/* runcmd.h - what the loaders of test programs do while their program is attached. */
#ifndef OW_RUNCMD_H
#define OW_RUNCMD_H

#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Runs the command to its end: its wait status, or -errno. */
static inline int run_command(char **argv)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		execvp(argv[0], argv);
		perror(argv[0]);
		_exit(127);
	}
	return waitpid(pid, &status, 0) < 0 ? -errno : status;
}

#endif
