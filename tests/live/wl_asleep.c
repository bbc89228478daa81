/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that sleep before anybody looks, on stacks of many kinds: their own memory, none at
 * all, memory that would have to be waited for. Their checks know them by name.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "wl.h"

#define STACK_BYTES (256 * 1024)

struct asleep {
	const char *name;
	_Atomic int *cnt; /* of those that are about to sleep */
	_Atomic int word;
	char *stack;
};

static OW_NOINLINE void ow_asleep_block(struct asleep *a)
{
	OW_FRAME();
	ow_futex_wait(&a->word, 0);
	OW_KEEP();
}

static OW_NOINLINE void ow_asleep_again(struct asleep *a)
{
	OW_FRAME();
	for (;;)
		ow_asleep_block(a);
}

static OW_NOINLINE void *ow_asleep_main(void *arg)
{
	struct asleep *a = arg;

	prctl(PR_SET_NAME, a->name);
	atomic_fetch_add(a->cnt, 1);
	ow_asleep_again(a);
	return NULL;
}

static void fail_if(int failed, const char *what)
{
	if (!failed)
		return;
	perror(what);
	exit(1);
}

static void start_asleep(struct asleep *a, int flags, int fd)
{
	pthread_attr_t attr;
	pthread_t thread;

	a->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);
	fail_if(a->stack == MAP_FAILED, "mmap");
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, a->stack, STACK_BYTES);
	fail_if(pthread_create(&thread, &attr, ow_asleep_main, a), "pthread_create");
	pthread_attr_destroy(&attr);
}

/* Whoever touches the stack from now on waits for somebody who never comes. */
static void guard(const struct asleep *a)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);

	reg.range.start = (uint64_t)(uintptr_t)a->stack;
	reg.range.len = STACK_BYTES;
	fail_if(fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg),
		"userfaultfd");
	fail_if(madvise(a->stack, STACK_BYTES, MADV_DONTNEED), "madvise");
}

static OW_NOINLINE void ow_asleep_wake(struct asleep *a)
{
	OW_FRAME();
	ow_futex_wake(&a->word, 1);
	OW_KEEP();
}

/* asleep: at SIGUSR1 main wakes the first one, which sleeps again in the same place. */
void wl_asleep(struct wl *wl)
{
	static const char *const names[] = { "ow-wakes", "ow-still", "ow-gone",
					     "ow-bar",	 "ow-filed", "ow-guarded" };
	enum { WAKES, STILL, GONE, BAR, FILED, GUARDED, CNT };
	int anonymous = MAP_PRIVATE | MAP_ANONYMOUS, fd = memfd_create("ow-stack", MFD_CLOEXEC);
	struct asleep *all = wl_shared(CNT * sizeof(*all));
	_Atomic int *cnt = wl_shared(sizeof(*cnt));
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGUSR1);
	sigprocmask(SIG_BLOCK, &alarm, NULL);
	fail_if(fd < 0 || ftruncate(fd, STACK_BYTES), "memfd_create");
	for (int i = 0; i < CNT; i++) {
		all[i].name = names[i];
		all[i].cnt = cnt;
		start_asleep(&all[i], i == FILED ? MAP_SHARED : anonymous, i == FILED ? fd : -1);
	}
	while (atomic_load(cnt) < CNT)
		truth_pause_us(1000);
	truth_pause_us(50000); /* the last ones are on their way to sleep */
	fail_if(munmap(all[GONE].stack, STACK_BYTES), "munmap");
	fail_if(mprotect(all[BAR].stack, STACK_BYTES, PROT_NONE), "mprotect");
	guard(&all[GUARDED]);
	prctl(PR_SET_NAME, "ow-alarm");
	printf("ready asleep %d %d\n", getpid(), getpid());
	fflush(stdout);
	sigwaitinfo(&alarm, NULL);
	ow_asleep_wake(&all[WAKES]);
	wl->alive_ms = 600000;
}
