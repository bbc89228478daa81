/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes that change who they are while they are recorded. */
#include <linux/sched.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "wl.h"

static _Noreturn void give_up(const char *what)
{
	perror(what);
	_exit(1);
}

/* The path of a program that was built beside this one. */
static void beside(const char *name, char *out, size_t size)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0)
		give_up("/proc/self/exe");
	self[len] = '\0';
	*strrchr(self, '/') = '\0';
	if (snprintf(out, size, "%s/%s", self, name) >= (int)size)
		give_up("the path is too long");
}

static _Noreturn void become(const char *name, uint64_t ms)
{
	char path[PATH_MAX], text[32];

	beside(name, path, sizeof(path));
	snprintf(text, sizeof(text), "%llu", (unsigned long long)ms);
	execl(path, name, text, (char *)NULL);
	give_up(path);
}

/* rename: a thread under two names, and a third that it is given while it sleeps. */

struct renamed {
	struct truth_board *board;
	struct truth_role *first, *second;
	_Atomic int tid, is_over;
	uint64_t rounds, us;
};

static OW_NOINLINE void ow_first_block(uint64_t us)
{
	OW_FRAME();
	ow_sleep_ns(us * 1000);
	OW_KEEP();
}

static OW_NOINLINE void ow_second_block(uint64_t us)
{
	OW_FRAME();
	ow_sleep_ns(us * 1000);
	OW_KEEP();
}

static void sleep_as(struct truth_role *role, void (*block)(uint64_t us), uint64_t us)
{
	struct truth_probe probe;

	prctl(PR_SET_NAME, role->name);
	truth_before(role, &probe);
	block(us);
	truth_after(role, &probe);
}

static OW_NOINLINE void *ow_renamed_main(void *arg)
{
	struct renamed *r = arg;

	truth_also(r->second);
	truth_begin(r->board, r->first);
	atomic_store(&r->tid, r->first->tid);
	for (uint64_t i = 0; i < r->rounds; i++) {
		sleep_as(r->first, ow_first_block, r->us);
		sleep_as(r->second, ow_second_block, 2 * r->us);
	}
	atomic_store(&r->is_over, 1);
	truth_exit(r->second);
	truth_park(r->first);
}

static void *renamer_main(void *arg)
{
	struct renamed *r = arg;
	char path[64];
	FILE *comm;

	while (!atomic_load(&r->tid))
		truth_pause_us(100);
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", atomic_load(&r->tid));
	while (!atomic_load(&r->is_over)) {
		comm = fopen(path, "we");
		if (!comm || fputs("ow-wrong", comm) < 0 || fclose(comm))
			give_up(path);
		truth_pause_us(r->us / 3);
	}
	return NULL;
}

void wl_rename(struct wl *wl)
{
	struct renamed *r = wl_shared(sizeof(*r));

	r->board = wl->board;
	r->rounds = wl_arg(wl, 0, 30);
	r->us = wl_arg(wl, 1, 5000);
	r->first = truth_role_add(wl->board, "ow-first", "ow_first_block", "-", "-");
	r->second = truth_role_add(wl->board, "ow-second", "ow_second_block", "-", "-");
	wl_thread(ow_renamed_main, r);
	if (wl_arg(wl, 2, 0))
		wl_thread(renamer_main, r);
}

/* exec-under: threads sleep while another executes a program, which ends them. */

static OW_NOINLINE void *ow_under_main(void *arg)
{
	_Atomic int never = 0;

	(void)arg;
	prctl(PR_SET_NAME, "ow-under");
	OW_FRAME();
	while (!atomic_load(&never))
		ow_futex_wait(&never, 0);
	return NULL;
}

static void *exec_main(void *arg)
{
	truth_pause_us(*(uint64_t *)arg * 1000);
	become("image-pie-a", 50);
}

void wl_exec_under(struct wl *wl)
{
	static uint64_t ms;

	ms = wl_arg(wl, 0, 100);
	wl_thread(ow_under_main, NULL);
	if (wl_arg(wl, 1, 0)) { /* a thread that is not the first */
		wl_thread(exec_main, &ms);
		ow_under_main(NULL);
	}
	wl_thread(ow_under_main, NULL);
	exec_main(&ms);
}

/* retid: two programs take turns under one process id. */

static pid_t clone_as(pid_t tid)
{
	struct clone_args args = { .exit_signal = SIGCHLD,
				   .set_tid = (uint64_t)(uintptr_t)&tid,
				   .set_tid_size = 1 };

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

void wl_retid(struct wl *wl)
{
	uint64_t rounds = wl_arg(wl, 0, 20), ms = wl_arg(wl, 1, 5);
	pid_t pid, again;

	pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	printf("retid %d\n", pid);
	fflush(stdout);
	for (uint64_t i = 0; i < rounds; i++) {
		again = clone_as(pid);
		if (again == 0)
			become(i % 2 ? "image-static-b" : "image-static-a", ms);
		if (again < 0)
			give_up("clone3");
		waitpid(again, NULL, 0);
	}
	exit(0);
}

/* memfd: a program that lies in no file system. */

void wl_memfd(struct wl *wl)
{
	char path[PATH_MAX], bytes[4096], text[32];
	int fd = memfd_create("ow-memory", MFD_CLOEXEC);
	char name[] = "image", *const argv[] = { name, text, NULL };
	FILE *file;
	size_t n;

	beside("image-pie-a", path, sizeof(path));
	file = fopen(path, "re");
	if (!file || fd < 0)
		give_up(path);
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		if (write(fd, bytes, n) != (ssize_t)n)
			give_up("memfd");
	fclose(file);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)wl_arg(wl, 0, 50));
	fexecve(fd, argv, environ);
	give_up("fexecve");
}
