/* SPDX-License-Identifier: Apache-2.0 */
/*
 * storm: processes are made as fast as this machine can; each sleeps once and ends. The parents'
 * children inherit their name. Prints how many there were.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "wl.h"

#define IN_FLIGHT 8
#define NAP_NS	  100000

enum how { BY_FORK, BY_VFORK_EXEC };

static OW_NOINLINE void ow_storm_block(void)
{
	OW_FRAME();
	ow_sleep_ns(NAP_NS);
	OW_KEEP();
}

static pid_t make_child(enum how how, const char *program)
{
	pid_t pid = how == BY_FORK ? fork() : vfork();

	if (pid == 0 && how == BY_VFORK_EXEC)
		execl(program, "storm", "1", (char *)NULL);
	if (pid == 0 && how == BY_FORK)
		ow_storm_block();
	if (pid == 0)
		_exit(0);
	return pid;
}

static void be_parent(enum how how, uint64_t until_ns, const char *program, _Atomic uint64_t *made)
{
	int in_flight = 0;

	while (truth_now_ns() < until_ns) {
		if (make_child(how, program) > 0) {
			atomic_fetch_add(made, 1);
			in_flight++;
		}
		while (in_flight && waitpid(-1, NULL, in_flight < IN_FLIGHT ? WNOHANG : 0) > 0)
			in_flight--;
	}
	while (waitpid(-1, NULL, 0) > 0)
		;
	_exit(0);
}

void wl_storm(struct wl *wl)
{
	_Atomic uint64_t *made = wl_shared(sizeof(*made));
	uint64_t ms = wl_arg(wl, 0, 1000);
	enum how how = (enum how)wl_arg(wl, 1, BY_FORK);
	uint64_t until_ns = truth_now_ns() + ms * 1000000;
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 32);

	if (len < 0)
		exit(1);
	program[len] = '\0';
	strcpy(strrchr(program, '/'), "/image-static-a");
	prctl(PR_SET_NAME, "ow-storm");
	for (long i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		if (fork() == 0)
			be_parent(how, until_ns, program, made);
	while (waitpid(-1, NULL, 0) > 0)
		;
	printf("storm %llu\n", (unsigned long long)atomic_load(made));
	exit(0);
}
