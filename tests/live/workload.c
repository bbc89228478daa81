/* SPDX-License-Identifier: Apache-2.0 */
/* workload NAME [ARG...]: blocks in known ways for known times and prints the truth. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "wl.h"

struct wl_entry {
	const char *name;
	void (*start)(struct wl *wl);
	const char *args;
};

static const struct wl_entry wl_entries[] = {
	{ "pipe", wl_pipe, "[ROUNDS [BURN_US]]  two processes play ping-pong over two pipes" },
	{ "futex", wl_futex, "[HAND-OVERS [BURN_US]]  two threads hand over with raw futexes" },
	{ "condvar", wl_condvar, "[HAND-OVERS [BURN_US]]  mutex and condition variable" },
	{ "mutex", wl_mutex, "[ROUNDS [HOLD_US]]  one holder, one waiter" },
	{ "nanosleep", wl_nanosleep, "[SLEEPS [US]]  one thread and the timer" },
	{ "timeout", wl_timeout, "[SLEEPS [US]]  one thread and the timeout of a socket" },
	{ "naps", wl_naps, "[SHORT_SLEEPS [LONG_SLEEPS]]  1 ms in one thread, 20 ms in another" },
	{ "spinner", wl_spinner, "[MS]  two threads burn one CPU" },
	{ "deadlock", wl_deadlock, "[ALIVE_MS]  two threads wait for each other for good" },
	{ "aborted", wl_aborted, "[ROUNDS [EDGE]]  sleeps cut off by one thread, then ended by another" },
	{ "exits", wl_exits,
	  "[THREADS [LINGER_MS]]  threads that sleep once and exit; main stays on" },
	{ "fork-tree", wl_fork_tree, "[SLEEPS]  children and grandchildren that sleep and exit" },
	{ "udp", wl_udp, "[ROUNDS [BURN_US]]  two threads send datagrams over loopback" },
	{ "posed", wl_posed, "[ROUNDS [BURN_US]]  pipe, by threads named like markers" },
	{ "leaf", wl_leaf, "[MS]  two threads burn one CPU in a function without a frame" },
	{ "fault", wl_fault, "[FAULTS [FILL_US]]  page faults that another thread resolves" },
	{ "tail", wl_tail, "[SLEEPS]  a system call that is the end of its function" },
	{ "deep", wl_deep, "[SLEEPS [FRAMES]]  a thread that sleeps below many frames" },
	{ "siblings", wl_siblings, "[CHILDREN [MS [EXEC]]]  one after the other, all alike" },
	{ "sleepers", wl_sleepers, "[THREADS]  threads that never wake" },
	{ "leaderless", wl_leaderless, "[SLEEPS [US]]  a process whose first thread has ended" },
	{ "zombie", wl_zombie, "[ALIVE_MS]  a child that has ended and is not waited for" },
	{ "jit", wl_jit, "[SLEEPS [US]]  code made at run time that sleeps" },
	{ "remap", wl_remap, "[ROUNDS [US [HOW]]]  two libraries that take turns at one address" },
	{ "rename", wl_rename, "[ROUNDS [US [BY_OTHER]]]  a thread that changes its name" },
	{ "exec-under", wl_exec_under, "[MS [NOT_FIRST]]  an exec while other threads sleep" },
	{ "retid", wl_retid, "[ROUNDS [MS]]  two programs take turns under one process id" },
	{ "memfd", wl_memfd, "[MS]  a program in a memfd sleeps" },
	{ "storm", wl_storm, "[MS [VFORK_EXEC]]  as many processes as can be, each sleeps once" },
	{ "kin", wl_kin, "[BIRTHS [US]]  families that grow at SIGUSR1" },
	{ "renames", wl_renames, "[ROUNDS [US]]  a thread that changes its name" },
	{ "asleep", wl_asleep, "threads asleep on stacks of many kinds; SIGUSR1 wakes one" },
	{ "pty", wl_pty, "[ROUNDS]  a reader that the kernel's own thread wakes" },
	{ "disk", wl_disk, "[READS]  reads past the page cache, of a file in TMPDIR" },
	{ "far", wl_far, "[ROUNDS [BUSY]]  a waker and a sleeper on two CPUs; BUSY is not 0" },
	{ "bystander", wl_bystander, "[SLEEPS]  timers that interrupt a thread that burns its CPU" },
	{ "gone", wl_gone, "[ROUNDS]  wakers that have ended before the woken thread runs" },
	{ "signals", wl_signals, "[ROUNDS]  signals that come when a thread goes to sleep" },
	{ "killed", wl_killed, "[PROCESSES]  two threads each, killed in their sleep" },
	{ "births", wl_births, "[CNT]  so many threads, forks and vforks that never sleep" },
	{ "vfork", wl_vfork, "[MS]  a parent in uninterruptible sleep" },
};

uint64_t wl_arg(const struct wl *wl, int i, uint64_t def)
{
	return i < wl->arg_cnt ? wl->args[i] : def;
}

void *wl_shared(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (mem == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return mem;
}

void wl_thread(void *(*fn)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, fn, arg)) {
		fprintf(stderr, "workload: no thread\n");
		exit(1);
	}
	pthread_detach(thread);
}

void wl_process(struct wl *wl, void *(*fn)(void *), void *arg)
{
	pid_t pid = fork();

	if (pid < 0) {
		perror("fork");
		exit(1);
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn(arg);
		_exit(0);
	}
	wl->children[wl->child_cnt++] = pid;
}

static void supervise(struct wl *wl)
{
	truth_go(wl->board);
	if (wl->alive_ms)
		truth_pause_us(wl->alive_ms * 1000);
	else
		truth_wait(wl->board);
	truth_print(wl->board);
	if (wl->linger_ms)
		truth_pause_us(wl->linger_ms * 1000);
	for (int i = 0; i < wl->child_cnt; i++) {
		kill(wl->children[i], SIGKILL);
		waitpid(wl->children[i], NULL, 0);
	}
}

/* clock COMMAND [ARG...]: prints the instant before the command is executed. */
static int run_clocked(char **argv)
{
	printf("clock %llu\n", (unsigned long long)truth_now_ns());
	fflush(stdout);
	execvp(argv[0], argv);
	perror(argv[0]);
	return 127;
}

static int usage(void)
{
	fprintf(stderr, "usage: workload NAME [ARG...] | clock COMMAND [ARG...]\n");
	for (size_t i = 0; i < sizeof(wl_entries) / sizeof(wl_entries[0]); i++)
		fprintf(stderr, "  %-10s %s\n", wl_entries[i].name, wl_entries[i].args);
	return 2;
}

static int parse_args(struct wl *wl, int argc, char **argv)
{
	if (argc > WL_ARGS)
		return -EINVAL;
	for (; wl->arg_cnt < argc; wl->arg_cnt++) {
		const char *text = argv[wl->arg_cnt];
		char *end;

		wl->args[wl->arg_cnt] = strtoull(text, &end, 10);
		if (end == text || *end)
			return -EINVAL;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct wl wl = { 0 };

	if (argc > 2 && !strcmp(argv[1], "clock"))
		return run_clocked(argv + 2);
	if (argc == 2 && !strcmp(argv[1], "poke"))
		return wl_poke();
	if (argc < 2 || parse_args(&wl, argc - 2, argv + 2))
		return usage();
	for (size_t i = 0; i < sizeof(wl_entries) / sizeof(wl_entries[0]); i++) {
		if (strcmp(wl_entries[i].name, argv[1]))
			continue;
		wl.board = truth_board_new();
		wl_entries[i].start(&wl);
		supervise(&wl);
		_exit(0);
	}
	return usage();
}
