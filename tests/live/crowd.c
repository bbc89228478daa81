/* SPDX-License-Identifier: Apache-2.0 */
/*
 * crowd [-w] PROCESSES MEMBERS PATHS ROUNDS US [split]: many threads, many stacks, and how many.
 *
 * MEMBERS threads, in that many processes, sleep ROUNDS times below each of their call paths. A
 * path is a number: each of its bits is a call of ow_left() or ow_right(). All have the paths 0
 * to PATHS - 1; with "split" the paths are divided among them, so that each stack has one owner.
 * With -w they begin when SIGUSR1 comes, and live on behind their truth until it comes again.
 *
 * A sleep that did not leave the CPU is slept again; so each path has at least ROUNDS of them,
 * and one that has more (a page fault, say) is printed by itself.
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "truth.h"

#define DEPTH	      17
#define STACK_BYTES   (32u << 10)
#define PROCESSES_MAX 64u
#define MEMBERS_MAX   (1u << 17)

struct member {
	struct crowd *crowd;
	uint32_t tid, tgid;
	uint32_t first_path, path_cnt;
	uint16_t *sleeps; /* of each path */
	uint64_t begin_ns, end_ns, cpu_ns, asleep_ns;
	uint64_t switches; /* of every kind, from its sleep before the first to that after the last
			    */
	uint64_t slept;	   /* voluntary ones within the sleeps */
};

struct crowd { /* shared by all processes */
	_Atomic int go;
	_Atomic uint32_t ready, done;
	uint32_t process_cnt, member_cnt, path_cnt, rounds;
	uint64_t us;
	bool is_split, waits;
	struct member *members;
	pid_t pids[PROCESSES_MAX];
};

static void *shared(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (mem == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return mem;
}

static uint64_t cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static OW_NOINLINE void ow_crowd_block(struct member *m, uint32_t path)
{
	struct rusage before, after;
	uint64_t at_ns;

	OW_FRAME();
	ow_sys4(SYS_getrusage, RUSAGE_THREAD, (long)&before, 0, 0);
	at_ns = truth_now_ns();
	for (uint64_t ns = m->crowd->us * 1000;; ns *= 2) {
		ow_sleep_ns(ns);
		ow_sys4(SYS_getrusage, RUSAGE_THREAD, (long)&after, 0, 0);
		if (after.ru_nvcsw != before.ru_nvcsw)
			break;
	}
	m->asleep_ns += truth_now_ns() - at_ns;
	m->slept += (uint64_t)(after.ru_nvcsw - before.ru_nvcsw);
	m->sleeps[path - m->first_path] += (uint16_t)(after.ru_nvcsw - before.ru_nvcsw);
	OW_KEEP();
}

static void ow_left(struct member *m, uint32_t path, uint32_t depth);
static void ow_right(struct member *m, uint32_t path, uint32_t depth);

#define STEP()                                                                                     \
	do {                                                                                       \
		OW_FRAME();                                                                        \
		if (depth == DEPTH)                                                                \
			ow_crowd_block(m, path);                                                   \
		else if (path >> depth & 1)                                                        \
			ow_right(m, path, depth + 1);                                              \
		else                                                                               \
			ow_left(m, path, depth + 1);                                               \
		OW_KEEP();                                                                         \
	} while (0)

static OW_NOINLINE void ow_left(struct member *m, uint32_t path, uint32_t depth)
{
	STEP();
}

static OW_NOINLINE void ow_right(struct member *m, uint32_t path, uint32_t depth)
{
	STEP();
}

static OW_NOINLINE void ow_crowd_start(struct member *m, uint32_t path)
{
	uint32_t depth = 0;

	STEP();
}

/* So that nobody's life ends while others are still at it. */
static _Noreturn void stay(void)
{
	_Atomic int never = 0;

	for (;;)
		ow_futex_wait(&never, 0);
}

static OW_NOINLINE void *ow_member_main(void *arg)
{
	struct member *m = arg;
	struct crowd *crowd = m->crowd;

	m->tid = (uint32_t)syscall(SYS_gettid);
	m->tgid = (uint32_t)getpid();
	prctl(PR_SET_NAME, "ow-member");
	prctl(PR_SET_TIMERSLACK, 1);
	/* Its first touch may wait for the lock of a page that others touch, too. */
	memset(m->sleeps, 0, m->path_cnt * sizeof(*m->sleeps));
	crowd->ready++;
	while (!crowd->go)
		ow_futex_wait(&crowd->go, 0);
	m->begin_ns = truth_now_ns();
	m->cpu_ns = cpu_ns();
	for (uint32_t round = 0; round < crowd->rounds; round++)
		for (uint32_t i = 0; i < m->path_cnt; i++)
			ow_crowd_start(m, m->first_path + i);
	m->cpu_ns = cpu_ns() - m->cpu_ns;
	m->end_ns = truth_now_ns();
	crowd->done++;
	stay();
}

/* One process: its share of the members, on small stacks. Never returns. */
static _Noreturn void run_process(struct crowd *crowd, uint32_t number)
{
	uint32_t first = (uint32_t)((uint64_t)crowd->member_cnt * number / crowd->process_cnt);
	uint32_t end = (uint32_t)((uint64_t)crowd->member_cnt * (number + 1) / crowd->process_cnt);
	char *stacks = mmap(NULL, (size_t)(end - first) * STACK_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pthread_attr_init(&attr);
	for (uint32_t i = first; i < end; i++) {
		if (stacks == MAP_FAILED ||
		    pthread_attr_setstack(&attr, stacks + (size_t)(i - first) * STACK_BYTES,
					  STACK_BYTES) ||
		    pthread_create(&thread, &attr, ow_member_main, &crowd->members[i])) {
			perror("crowd: no thread");
			exit(1);
		}
	}
	for (;;)
		pause();
}

static void set_up(struct crowd *crowd)
{
	uint64_t paths =
		crowd->is_split ? crowd->path_cnt : (uint64_t)crowd->path_cnt * crowd->member_cnt;
	uint16_t *sleeps = shared(paths * sizeof(*sleeps));

	crowd->members = shared(crowd->member_cnt * sizeof(*crowd->members));
	for (uint32_t i = 0; i < crowd->member_cnt; i++) {
		struct member *m = &crowd->members[i];
		uint64_t end = (uint64_t)crowd->path_cnt * (i + 1) / crowd->member_cnt;

		m->crowd = crowd;
		m->path_cnt = crowd->path_cnt;
		if (crowd->is_split) {
			m->first_path =
				(uint32_t)((uint64_t)crowd->path_cnt * i / crowd->member_cnt);
			m->path_cnt = (uint32_t)end - m->first_path;
		}
		m->sleeps = sleeps;
		sleeps += m->path_cnt;
	}
}

static void wait_for(const _Atomic uint32_t *cnt, const struct crowd *crowd)
{
	while (*cnt < crowd->member_cnt) {
		truth_pause_us(2000);
		for (uint32_t i = 0; i < crowd->process_cnt; i++)
			if (waitpid(crowd->pids[i], NULL, WNOHANG))
				exit(1);
	}
}

/* How often a sleeping thread has left the CPU, the last time included; waits until it sleeps. */
static uint64_t switches(const struct member *m)
{
	char path[64], line[128], state = 0;
	uint64_t sum = 0, n;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/status", m->tgid, m->tid);
	for (; state != 'S'; sum = state == 'S' ? sum : 0) {
		status = fopen(path, "re");
		while (status && fgets(line, sizeof(line), status)) {
			(void)sscanf(line, "State: %c", &state);
			if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1 ||
			    sscanf(line, "nonvoluntary_ctxt_switches: %lu", &n) == 1)
				sum += n;
		}
		if (status)
			fclose(status);
		if (state != 'S')
			truth_pause_us(2000);
	}
	return sum;
}

static void print(const struct crowd *crowd)
{
	for (uint32_t i = 0; i < crowd->member_cnt; i++) {
		const struct member *m = &crowd->members[i];

		printf("member %u %u first %u paths %u rounds %u slept %llu asleep_ns %llu "
		       "begin_ns "
		       "%llu end_ns %llu cpu_ns %llu switches %llu\n",
		       m->tid, m->tgid, m->first_path, m->path_cnt, crowd->rounds,
		       (unsigned long long)m->slept, (unsigned long long)m->asleep_ns,
		       (unsigned long long)m->begin_ns, (unsigned long long)m->end_ns,
		       (unsigned long long)m->cpu_ns, (unsigned long long)m->switches);
		for (uint32_t j = 0; j < m->path_cnt; j++)
			if (m->sleeps[j] != crowd->rounds)
				printf("path %u %u %u\n", m->tid, m->first_path + j, m->sleeps[j]);
	}
	printf("done\n");
	fflush(stdout);
}

static int parse(struct crowd *crowd, int argc, char **argv)
{
	uint64_t n[5];

	if (argc > 1 && !strcmp(argv[1], "-w")) {
		crowd->waits = true;
		argc--;
		argv++;
	}
	if (argc < 6 || argc > 7 || (argc == 7 && strcmp(argv[6], "split")))
		return -1;
	crowd->is_split = argc == 7;
	for (int i = 0; i < 5; i++)
		n[i] = strtoull(argv[i + 1], NULL, 10);
	if (!n[0] || n[0] > PROCESSES_MAX || n[1] < n[0] || n[1] > MEMBERS_MAX || !n[2] ||
	    n[2] > 1u << DEPTH || n[3] > UINT16_MAX)
		return -1;
	crowd->process_cnt = (uint32_t)n[0];
	crowd->member_cnt = (uint32_t)n[1];
	crowd->path_cnt = (uint32_t)n[2];
	crowd->rounds = (uint32_t)n[3];
	crowd->us = n[4];
	return 0;
}

int main(int argc, char **argv)
{
	struct crowd *crowd = shared(sizeof(*crowd));
	sigset_t set;
	int got;

	if (parse(crowd, argc, argv)) {
		fprintf(stderr, "usage: crowd [-w] PROCESSES MEMBERS PATHS ROUNDS US [split]\n");
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	set_up(crowd);
	for (uint32_t i = 0; i < crowd->process_cnt; i++) {
		pid_t pid = fork();

		if (!pid)
			run_process(crowd, i);
		crowd->pids[i] = pid;
	}
	wait_for(&crowd->ready, crowd);
	for (uint32_t i = 0; i < crowd->process_cnt; i++)
		printf("%s%d", i ? "," : "ready ", crowd->pids[i]);
	printf("\n");
	fflush(stdout);
	if (crowd->waits)
		sigwait(&set, &got);
	for (uint32_t i = 0; i < crowd->member_cnt; i++)
		crowd->members[i].switches = -switches(&crowd->members[i]);
	crowd->go = 1;
	ow_futex_wake(&crowd->go, INT32_MAX);
	wait_for(&crowd->done, crowd);
	for (uint32_t i = 0; i < crowd->member_cnt; i++)
		crowd->members[i].switches += switches(&crowd->members[i]);
	print(crowd);
	if (crowd->waits)
		sigwait(&set, &got);
	for (uint32_t i = 0; i < crowd->process_cnt; i++) {
		kill(crowd->pids[i], SIGKILL);
		waitpid(crowd->pids[i], NULL, 0);
	}
	return 0;
}
