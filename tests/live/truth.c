/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Truth about a role comes from two independent sources: its own clock and the kernel's
 * counters. The kernel's whole-life counters are read from /proc while the role sleeps in
 * ow_park() for good, so that nothing can happen to it between its last act and the reading;
 * all that follows (being killed) has ow_park on its stack and can be told apart.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "truth.h"

struct life_counts {
	unsigned long long nvcsw, nivcsw;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	if (clock_gettime(clock, &ts))
		abort();
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t truth_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

struct truth_board *truth_board_new(void)
{
	struct truth_board *board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (board == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	return board;
}

struct truth_role *truth_role_add(struct truth_board *board, const char *name, const char *sleeper,
				  const char *waker, const char *waker_role)
{
	struct truth_role *role;

	if (board->role_cnt == TRUTH_ROLES_MAX)
		abort();
	role = &board->roles[board->role_cnt++];
	snprintf(role->name, sizeof(role->name), "%s", name);
	snprintf(role->sleeper, sizeof(role->sleeper), "%s", sleeper);
	snprintf(role->waker, sizeof(role->waker), "%s", waker);
	snprintf(role->waker_role, sizeof(role->waker_role), "%s", waker_role);
	return role;
}

/* A fork does not copy the pages of shared memory: let the faults come before the marks. */
static void touch(const struct truth_board *board)
{
	const volatile char *bytes = (const volatile char *)board;

	for (size_t i = 0; i < sizeof(*board); i += 4096)
		(void)bytes[i];
}

static void take_identity(struct truth_role *role)
{
	role->tid = (int)syscall(SYS_gettid);
	role->tgid = getpid();
	role->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	role->start_ns = truth_now_ns();
	atomic_store(&role->state, TRUTH_RUNNING);
}

void truth_also(struct truth_role *role)
{
	take_identity(role);
}

/*
 * A futex wakes whom it has taken off its queue already, a little later. A waiter that finds
 * itself off the queue before that goes on without a sleep, and the wake may end its next one.
 * So nobody begins while the supervisor may still be waking.
 */
OW_NOINLINE void truth_begin(struct truth_board *board, struct truth_role *role)
{
	prctl(PR_SET_NAME, role->name);
	touch(board);
	take_identity(role);
	while (!atomic_load(&board->go))
		ow_futex_wait(&board->go, 0);
	while (!atomic_load(&board->gone))
		truth_pause_us(50);
	role->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	role->start_ns = truth_now_ns();
}

void truth_before(struct truth_role *role, struct truth_probe *out_probe)
{
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	out_probe->nvcsw = (uint64_t)ru.ru_nvcsw;
	out_probe->nivcsw = (uint64_t)ru.ru_nivcsw;
	out_probe->now_ns = truth_now_ns();
	role->block_ns = out_probe->now_ns;
}

static void add_asleep(struct truth_role *role, uint64_t ns)
{
	role->asleep_ns += ns;
	if (ns > role->longest_ns)
		role->longest_ns = ns;
}

void truth_after(struct truth_role *role, const struct truth_probe *probe)
{
	uint64_t now = truth_now_ns();
	struct rusage ru;

	getrusage(RUSAGE_THREAD, &ru);
	role->calls++;
	role->sleeps += (uint64_t)ru.ru_nvcsw - probe->nvcsw;
	role->preempted += (uint64_t)ru.ru_nivcsw - probe->nivcsw;
	if ((uint64_t)ru.ru_nvcsw + (uint64_t)ru.ru_nivcsw > probe->nvcsw + probe->nivcsw)
		add_asleep(role, now - probe->now_ns);
}

static void take_end_marks(struct truth_role *role)
{
	role->end_ns = truth_now_ns();
	role->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - role->cpu_ns;
}

static _Noreturn OW_NOINLINE void ow_park(struct truth_role *role)
{
	_Atomic int never = 0;

	OW_FRAME();
	atomic_store(&role->state, TRUTH_PARKED);
	for (;;)
		ow_futex_wait(&never, 0);
}

_Noreturn void truth_park(struct truth_role *role)
{
	take_end_marks(role);
	ow_park(role);
}

void truth_exit(struct truth_role *role)
{
	take_end_marks(role);
	atomic_store(&role->state, TRUTH_EXITED);
}

/* Reads state and switch counts of a thread; false when it is gone or not asleep. */
static int read_asleep(const struct truth_role *role, struct life_counts *out_counts)
{
	char path[64], line[128], state = '?';
	struct life_counts counts = { 0 };
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", role->tgid, role->tid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "voluntary_ctxt_switches: %llu", &counts.nvcsw);
		sscanf(line, "nonvoluntary_ctxt_switches: %llu", &counts.nivcsw);
	}
	fclose(f);
	*out_counts = counts;
	return state == 'S';
}

/* Asleep with the same counts 2 ms apart: its switch-out is over and counted. */
static void settle(const struct truth_role *role, struct life_counts *out_counts)
{
	struct life_counts a = { 0 }, b = { 0 };

	do {
		while (!read_asleep(role, &a))
			truth_pause_us(1000);
		truth_pause_us(2000);
	} while (!read_asleep(role, &b) || a.nvcsw != b.nvcsw || a.nivcsw != b.nivcsw);
	*out_counts = b;
}

void truth_wait_asleep(const struct truth_role *role)
{
	struct life_counts counts;

	settle(role, &counts);
}

static void wait_past(const struct truth_board *board, int state)
{
	for (int i = 0; i < board->role_cnt; i++)
		while (atomic_load(&board->roles[i].state) <= state)
			truth_pause_us(1000);
}

extern const char __executable_start[];

void truth_go(struct truth_board *board)
{
	wait_past(board, TRUTH_UNUSED);
	printf("base %#lx\n", (unsigned long)__executable_start);
	for (int i = 0; i < board->role_cnt; i++)
		printf("ready %s %d %d\n", board->roles[i].name, board->roles[i].tid,
		       board->roles[i].tgid);
	fflush(stdout);
	atomic_store(&board->go, 1);
	ow_futex_wake(&board->go, TRUTH_ROLES_MAX);
	atomic_store(&board->gone, 1);
}

void truth_wait(struct truth_board *board)
{
	wait_past(board, TRUTH_RUNNING);
}

static void print_role(const struct truth_role *r)
{
	struct life_counts life = { 0 };
	long long off_ns = 0;

	printf("truth role %s tid %d tgid %d sleeper %s waker %s waker_role %s", r->name, r->tid,
	       r->tgid, r->sleeper, r->waker, r->waker_role);
	if (atomic_load(&r->state) != TRUTH_RUNNING)
		off_ns = (long long)(r->end_ns - r->start_ns) - (long long)r->cpu_ns;
	printf(" via %s softirq %d longest_ns %llu", r->via_libc ? "libc" : "raw", r->via_softirq,
	       (unsigned long long)r->longest_ns);
	printf(" start_ns %llu end_ns %llu off_ns %lld", (unsigned long long)r->start_ns,
	       (unsigned long long)r->end_ns, off_ns);
	printf(" calls %llu asleep_ns %llu sleeps %llu preempted %llu block_ns %llu hits %llu",
	       (unsigned long long)r->calls, (unsigned long long)r->asleep_ns,
	       (unsigned long long)r->sleeps, (unsigned long long)r->preempted,
	       (unsigned long long)r->block_ns, (unsigned long long)r->hits);
	if (atomic_load(&r->state) == TRUTH_PARKED) {
		settle(r, &life);
		printf(" life_nvcsw %llu life_nivcsw %llu", life.nvcsw - 1, life.nivcsw);
	}
	printf("\n");
}

void truth_print(const struct truth_board *board)
{
	for (int i = 0; i < board->role_cnt; i++)
		print_role(&board->roles[i]);
	fflush(stdout);
}

OW_NOINLINE void truth_burn_us(uint64_t us)
{
	uint64_t end = truth_now_ns() + us * 1000;

	while (us && truth_now_ns() < end)
		OW_KEEP();
}

OW_NOINLINE void truth_pause_us(uint64_t us)
{
	OW_FRAME();
	ow_sleep_ns(us * 1000);
}

void truth_pause_role(struct truth_role *role, uint64_t us)
{
	struct truth_probe probe;

	truth_before(role, &probe);
	truth_pause_us(us);
	truth_after(role, &probe);
}

void truth_hurry(void)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		sched_setscheduler(0, SCHED_FIFO, &param);
}

/* Waits for the migration; a raw call, so that this wait can be told from the role's own. */
OW_NOINLINE void truth_pin(int cpu)
{
	cpu_set_t set;

	OW_FRAME();
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (ow_sys4(SYS_sched_setaffinity, 0, sizeof(set), (long)&set, 0) < 0)
		abort();
	OW_KEEP();
}
