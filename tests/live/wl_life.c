/* SPDX-License-Identifier: Apache-2.0 */
/* Processes and threads at odd stages of their lives. Their checks know them by name. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "wl.h"

static OW_NOINLINE void ow_child_block(uint64_t ms)
{
	OW_FRAME();
	ow_sleep_ns(ms * 1000000);
	OW_KEEP();
}

/* siblings: their stacks are the same, address by address. */

static _Noreturn void be_sibling(uint64_t i, uint64_t ms, int execs)
{
	char name[16];

	snprintf(name, sizeof(name), "ow-child-%u", (unsigned int)i);
	prctl(PR_SET_NAME, name);
	ow_child_block(ms);
	if (execs)
		execl("/bin/true", "true", (char *)NULL);
	_exit(0);
}

void wl_siblings(struct wl *wl)
{
	uint64_t cnt = wl_arg(wl, 0, 8), ms = wl_arg(wl, 1, 100);

	for (uint64_t i = 0; i < cnt; i++) {
		pid_t pid = fork();

		if (pid == 0)
			be_sibling(i, ms, wl_arg(wl, 2, 0) != 0);
		if (pid < 0 || waitpid(pid, NULL, 0) < 0)
			exit(1);
	}
}

/* sleepers */

static OW_NOINLINE void *ow_sleeper_main(void *arg)
{
	_Atomic int *asleep = arg, never = 0;

	OW_FRAME();
	atomic_fetch_add(asleep, 1);
	while (!atomic_load(&never))
		ow_futex_wait(&never, 0);
	return NULL;
}

void wl_sleepers(struct wl *wl)
{
	_Atomic int *asleep = wl_shared(sizeof(*asleep));
	int cnt = (int)wl_arg(wl, 0, 2000);
	pthread_attr_t attr;
	pthread_t thread;

	wl->alive_ms = 600000;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 0; i < cnt; i++)
		if (pthread_create(&thread, &attr, ow_sleeper_main, asleep))
			exit(1);
	while (atomic_load(asleep) < cnt)
		truth_pause_us(1000);
	truth_pause_us(20000); /* the last ones are on their way to sleep */
	printf("ready sleepers %d %d\n", getpid(), getpid());
}

/* leaderless: /proc/PID/maps of such a process is empty; its threads' are not. */

struct orphan {
	struct truth_board *board;
	struct truth_role *role;
	uint64_t sleeps, us;
};

static OW_NOINLINE void *ow_orphan_main(void *arg)
{
	const struct orphan *o = arg;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	truth_pause_us(50000); /* until the leader is gone */
	truth_begin(o->board, o->role);
	for (uint64_t i = 0; i < o->sleeps; i++)
		ow_child_block(o->us / 1000);
	truth_park(o->role);
}

static void *leader_main(void *arg)
{
	wl_thread(ow_orphan_main, arg);
	ow_sys4(SYS_exit, 0, 0, 0, 0);
	return NULL;
}

void wl_leaderless(struct wl *wl)
{
	struct orphan *o = wl_shared(sizeof(*o));

	o->board = wl->board;
	o->sleeps = wl_arg(wl, 0, 100000);
	o->us = wl_arg(wl, 1, 10000);
	o->role = truth_role_add(wl->board, "ow-orphan", "ow_child_block", "-", "-");
	wl_process(wl, leader_main, o);
}

/* zombie */

void wl_zombie(struct wl *wl)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	wl->alive_ms = wl_arg(wl, 0, 60000);
	truth_pause_us(50000);
	printf("ready ow-zombie %d %d\n", pid, pid);
}

/* vfork: the parent's sleep is no interruptible one. */

static OW_NOINLINE void ow_vfork_block(uint64_t ms)
{
	pid_t pid;

	OW_FRAME();
	pid = vfork();
	if (pid == 0) {
		ow_sleep_ns(ms * 1000000);
		_exit(0);
	}
	OW_KEEP();
	waitpid(pid, NULL, 0);
}

void wl_vfork(struct wl *wl)
{
	prctl(PR_SET_NAME, "ow-vfork");
	ow_vfork_block(wl_arg(wl, 0, 50));
}
