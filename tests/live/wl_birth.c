/* SPDX-License-Identifier: Apache-2.0 */
/*
 * births: threads and processes that never sleep, made one after the other in three ways. The
 * time from their making to their first run is none that they were off CPU.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "wl.h"

struct birth {
	int tid;
	long nvcsw, nivcsw;
};

/* Its life, and what the kernel counted in it. */
static OW_NOINLINE void ow_newborn(struct birth *b)
{
	struct rusage ru;
	uint64_t end = truth_now_ns() + 300000;

	OW_FRAME();
	while (truth_now_ns() < end)
		OW_KEEP();
	b->tid = (int)syscall(SYS_gettid);
	getrusage(RUSAGE_THREAD, &ru);
	b->nvcsw = ru.ru_nvcsw;
	b->nivcsw = ru.ru_nivcsw;
}

static void *newborn_thread(void *arg)
{
	ow_newborn(arg);
	return NULL;
}

static void bear_thread(struct birth *b)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, newborn_thread, b) || pthread_join(thread, NULL))
		exit(1);
}

static void bear_process(struct birth *b)
{
	pid_t pid = fork();

	if (pid == 0) {
		ow_newborn(b);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		exit(1);
}

static void bear_vfork(struct birth *b)
{
	pid_t pid = vfork();

	if (pid == 0) {
		ow_newborn(b);
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) < 0)
		exit(1);
}

void wl_births(struct wl *wl)
{
	static void (*const bear[])(struct birth *) = { bear_thread, bear_process, bear_vfork };
	static const char *const how[] = { "thread", "fork", "vfork" };
	int cnt = (int)wl_arg(wl, 0, 50);
	struct birth *births = wl_shared((size_t)cnt * 3 * sizeof(*births));

	for (int i = 0; i < 3 * cnt; i++)
		bear[i % 3](&births[i]);
	for (int i = 0; i < 3 * cnt; i++)
		printf("born %s %d %ld %ld\n", how[i % 3], births[i].tid, births[i].nvcsw,
		       births[i].nivcsw);
}
