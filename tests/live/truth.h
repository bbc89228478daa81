/* SPDX-License-Identifier: Apache-2.0 */
/*
 * truth.h - how a known-answer workload measures itself, without the profiler's help.
 *
 * A role is one thread of a workload. Its record lies in memory shared by all processes of
 * the workload, so that the supervisor (main) can print every role's truth at the end. Only
 * the role's own thread writes its record, and only the supervisor reads it, after the
 * role's state says so.
 */
#ifndef OW_TRUTH_H
#define OW_TRUTH_H

#include <stdatomic.h>
#include <stdint.h>

#include "rawsys.h"

#ifdef __clang__
#define OW_NOINLINE __attribute__((noinline))
#else
#define OW_NOINLINE __attribute__((noinline, noclone))
#endif

/* gcc gives a leaf no frame even under -fno-omit-frame-pointer; this forces one. */
#define OW_FRAME() __asm__ volatile("" ::"r"(__builtin_frame_address(0)) : "memory")
/* After a call: keeps it from becoming a jump, so that the caller stays on the stack. */
#define OW_KEEP() __asm__ volatile("" ::: "memory")

#define TRUTH_ROLES_MAX 128

enum truth_state { TRUTH_UNUSED, TRUTH_RUNNING, TRUTH_PARKED, TRUTH_EXITED };

struct truth_role {
	char name[16];	     /* also the thread's comm */
	char sleeper[32];    /* the function that makes its sleeping system calls */
	char waker[32];	     /* the function that ends its sleeps; "-": no thread does */
	char waker_role[16]; /* the role that runs it; "-" */
	int via_libc;	     /* the sleeper calls the C library, which makes the call */
	int via_softirq;     /* the wake comes by a softirq, which the waker runs */
	_Atomic int state;   /* enum truth_state */
	int tid, tgid;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC, first and last instant of the role */
	uint64_t cpu_ns;	   /* CPU time between the two */
	uint64_t calls;		   /* of the sleeper */
	uint64_t asleep_ns;	   /* own clock around the calls that left the CPU */
	uint64_t longest_ns;	   /* of these calls */
	uint64_t sleeps;	   /* voluntary switches within the calls (ru_nvcsw) */
	uint64_t preempted;	   /* involuntary ones (ru_nivcsw) */
	uint64_t block_ns;	   /* when the last call began */
	uint64_t hits;		   /* workload "aborted": sleeps cut off before the switch */
};

struct truth_board {
	_Atomic int go;	  /* futex: roles start when it is 1 */
	_Atomic int gone; /* 1: whoever made them start can no longer wake them */
	int role_cnt;
	struct truth_role roles[TRUTH_ROLES_MAX];
};

/* What one sleeping call is measured from. */
struct truth_probe {
	uint64_t now_ns, nvcsw, nivcsw;
};

uint64_t truth_now_ns(void);

/* Shared, zeroed, never freed; exits with 1 when there is no memory. */
struct truth_board *truth_board_new(void);
/* Adds a role; names are cut to fit. Call before its thread or process is started. */
struct truth_role *truth_role_add(struct truth_board *board, const char *name, const char *sleeper,
				  const char *waker, const char *waker_role);

/* First act of a role's thread: takes the name, then waits for truth_go(). */
void truth_begin(struct truth_board *board, struct truth_role *role);
/* Before truth_begin: the same thread sleeps in a second function too. */
void truth_also(struct truth_role *role);
/* Around each call of the sleeper. */
void truth_before(struct truth_role *role, struct truth_probe *out_probe);
void truth_after(struct truth_role *role, const struct truth_probe *probe);
/* Last act: takes the end marks. A role that parks never returns, so that the kernel's
 * whole-life counts can be read while it sleeps in ow_park(). */
_Noreturn void truth_park(struct truth_role *role);
void truth_exit(struct truth_role *role);

/* Waits until the role's thread sleeps, unless it does so in truth_begin(). */
void truth_wait_asleep(const struct truth_role *role);

/* Supervisor: waits until every role has begun, prints "ready" lines, lets them go. */
void truth_go(struct truth_board *board);
/* Waits for every role to park or exit. */
void truth_wait(struct truth_board *board);
/* Prints one line per role: "truth KEY VALUE KEY VALUE ...". */
void truth_print(const struct truth_board *board);

/* Keeps the CPU busy for that long by the wall clock. */
void truth_burn_us(uint64_t us);
/* Raw sleep that no role counts, and one of a role whose sleeper is truth_pause_us. */
void truth_pause_us(uint64_t us);
void truth_pause_role(struct truth_role *role, uint64_t us);
void truth_pin(int cpu);
/*
 * Runs before all other load, as root and where each of two threads can have a CPU: for threads
 * that must meet within a microsecond.
 */
void truth_hurry(void);

#endif
