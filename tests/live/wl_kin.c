/* SPDX-License-Identifier: Apache-2.0 */
/* Families, and threads that change their names: who is recorded. Their checks know them by name.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "wl.h"

/*
 * kin: a process "kin-a" with a child and a grandchild from before, a stranger "kin-b". At
 * SIGUSR1 each makes, one after the other, so many children that make a child and a thread; of
 * all these each sleeps once.
 */

struct kin {
	struct truth_board *board;
	struct truth_role *role;
	uint64_t births, us;
	int is_old; /* has a child and a grandchild from before */
	int *grandchild_is_born;
	char prefix;
};

static OW_NOINLINE void ow_kin_block(uint64_t us)
{
	OW_FRAME();
	ow_sleep_ns(us * 1000);
	OW_KEEP();
}

static void take_name(const struct kin *kin, const char *rest)
{
	char name[16];

	snprintf(name, sizeof(name), "kin-%c-%s", kin->prefix, rest);
	prctl(PR_SET_NAME, name);
}

static pid_t make_process(void)
{
	pid_t pid = fork();

	if (pid < 0)
		exit(1);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

static OW_NOINLINE void *ow_kin_thread(void *arg)
{
	const struct kin *kin = arg;

	take_name(kin, "thread");
	ow_kin_block(kin->us);
	return NULL;
}

static _Noreturn void be_newborn(struct kin *kin)
{
	pthread_t thread;
	pid_t pid = make_process();

	if (pid == 0) {
		take_name(kin, "newer");
		ow_kin_block(kin->us);
		_exit(0);
	}
	take_name(kin, "new");
	if (pthread_create(&thread, NULL, ow_kin_thread, kin))
		_exit(1);
	ow_kin_block(kin->us);
	pthread_join(thread, NULL);
	waitpid(pid, NULL, 0);
	_exit(0);
}

static _Noreturn void nap_for_good(const struct kin *kin, const char *name)
{
	take_name(kin, name);
	for (;;)
		ow_kin_block(kin->us);
}

static void make_elders(struct kin *kin)
{
	pid_t pid = make_process();

	if (pid == 0) {
		if (make_process() == 0) {
			*kin->grandchild_is_born = 1;
			nap_for_good(kin, "older");
		}
		nap_for_good(kin, "old");
	}
	while (!*(volatile int *)kin->grandchild_is_born)
		truth_pause_us(1000);
}

static void *kin_main(void *arg)
{
	struct kin *kin = arg;
	sigset_t set;
	int number;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (kin->is_old)
		make_elders(kin);
	truth_begin(kin->board, kin->role);
	sigwait(&set, &number);
	for (uint64_t i = 0; i < kin->births; i++) {
		pid_t pid = make_process();

		if (pid == 0)
			be_newborn(kin);
		waitpid(pid, NULL, 0);
	}
	truth_park(kin->role);
}

void wl_kin(struct wl *wl)
{
	struct kin *kin = wl_shared(2 * sizeof(*kin));

	wl->alive_ms = 600000;
	for (int i = 0; i < 2; i++) {
		kin[i].board = wl->board;
		kin[i].births = wl_arg(wl, 0, 10);
		kin[i].us = wl_arg(wl, 1, 10000);
		kin[i].is_old = i == 0;
		kin[i].grandchild_is_born = wl_shared(sizeof(int));
		kin[i].prefix = (char)('a' + i);
		kin[i].role = truth_role_add(wl->board, i ? "kin-b" : "kin-a", "-", "-", "-");
		wl_process(wl, kin_main, &kin[i]);
	}
}

/*
 * renames: a thread sleeps under one name and then under another, each in its own function;
 * then it is given the other name by somebody else while it is asleep.
 */

struct renamed {
	struct truth_board *board;
	struct truth_role *role;
	uint64_t rounds, us;
};

static OW_NOINLINE void ow_as_first(uint64_t us)
{
	OW_FRAME();
	ow_sleep_ns(us * 1000);
	OW_KEEP();
}

static OW_NOINLINE void ow_as_second(uint64_t us)
{
	OW_FRAME();
	ow_sleep_ns(us * 1000);
	OW_KEEP();
}

static OW_NOINLINE void ow_while_renamed(const struct renamed *r)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", r->role->tid);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	truth_pause_us(r->us * 5);
	if (fd < 0 || write(fd, "ow-second", 9) != 9)
		exit(1);
	close(fd);
}

static OW_NOINLINE void *ow_renamer_main(void *arg)
{
	prctl(PR_SET_NAME, "ow-renamer");
	ow_while_renamed(arg);
	return NULL;
}

static OW_NOINLINE void ow_across(uint64_t us)
{
	OW_FRAME();
	ow_sleep_ns(us * 1000);
	OW_KEEP();
}

static OW_NOINLINE void *ow_renamed_main(void *arg)
{
	struct renamed *r = arg;
	pthread_t other;

	truth_begin(r->board, r->role);
	for (uint64_t i = 0; i < r->rounds; i++) {
		prctl(PR_SET_NAME, "ow-first");
		ow_as_first(r->us);
		prctl(PR_SET_NAME, "ow-second");
		ow_as_second(r->us);
	}
	prctl(PR_SET_NAME, "ow-first");
	if (pthread_create(&other, NULL, ow_renamer_main, r))
		exit(1);
	ow_across(r->us * 10);
	ow_as_second(r->us);
	truth_park(r->role);
}

void wl_renames(struct wl *wl)
{
	struct renamed *r = wl_shared(sizeof(*r));

	r->board = wl->board;
	r->rounds = wl_arg(wl, 0, 20);
	r->us = wl_arg(wl, 1, 5000);
	r->role = truth_role_add(wl->board, "ow-first", "-", "-", "-");
	wl_thread(ow_renamed_main, r);
}
