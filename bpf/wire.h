/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * wire.h - what passes between the kernel programs and the recorder. Private: it may change
 * any day; record/drain.c alone turns it into records of the trace file.
 *
 * All structs are fixed width without implicit padding, because hash keys are compared byte
 * by byte. Times are CLOCK_MONOTONIC nanoseconds.
 */
#ifndef OW_WIRE_H
#define OW_WIRE_H

#include <linux/types.h>

#define OW_COMM_LEN   16  /* TASK_COMM_LEN */
#define OW_FRAMES_MAX 127 /* the kernel's default perf_event_max_stack */
/* One more is asked for: where the kernel allows it, a stack of OW_FRAMES_MAX is known to end. */
#define OW_FRAMES_ASKED (OW_FRAMES_MAX + 1)

/*
 * A stack is named by a 64-bit hash with the top bit set. Below that bit: 0 is "no stack"
 * (kernel thread, not asked for), anything else a stack that was lost: status and errno.
 */
#define OW_STACK_NONE	      0ULL
#define OW_STACK_BIT	      (1ULL << 63)
#define OW_STACK_LOST(st, no) (((__u64)(st) << 16) | (__u64)(no))

enum ow_lost { /* the status of a lost stack, 0 is unused */
	       OW_LOST_WALK = 1,
	       OW_LOST_TABLE = 2,
};

enum ow_kind { OW_BLOCKED, OW_UNOBSERVED, OW_PREEMPTED, OW_OPEN };
enum ow_ctx { OW_CTX_NONE, OW_CTX_TASK, OW_CTX_SOFTIRQ, OW_CTX_HARDIRQ, OW_CTX_IDLE };
#define OW_BEGAN_BEFORE 0x1

struct ow_who {
	__u32 tid, tgid;
	__u64 image_ns; /* when its process' code changed last; 0: before us */
	char comm[OW_COMM_LEN];
};

struct ow_row_key {
	struct ow_who target, waker;
	__u64 target_kstack, target_ustack, waker_kstack, waker_ustack;
	__u32 state;
	__u8 kind, context, flags, zero;
};

struct ow_row_value {
	__u64 wait_ns, runq_ns, count;
	__u64 max_ns, max_end_ns;
	struct ow_who interrupted; /* in the longest interval */
};

/* A stack's body, sent through the ring once; frame_cnt addresses follow, leaf first. */
struct ow_stack {
	__u64 hash;
	__u32 tgid; /* whose user stack; 0 for a kernel stack */
	__u16 frame_cnt;
	__u16 truncated;
	__u64 frames[OW_FRAMES_ASKED];
};

/* Counters, one slot of a per-CPU array each. */
enum ow_counter {
	OW_CNT_INTERVALS, /* counted into rows */
	OW_CNT_OPEN,	  /* those of them that were open at the end */
	OW_CNT_FILTERED,  /* outside -m and -M */
	OW_CNT_ROWS_FULL,
	OW_CNT_TASK_STATE,
	OW_CNT_STACK_WALK,
	OW_CNT_STACK_TABLE,
	OW_CNT_STACK_RING,
	OW_CNT_UNSEEN_SWITCH,
	OW_CNT_EPOCHS,	     /* changes of a process' code that could not be noted */
	OW_CNT_FALLBACKS,    /* thread states kept in the fallback hash: not a loss */
	OW_CNT_OTHER_STATE,  /* times off CPU left out as they began: by state, */
	OW_CNT_OTHER_NAME,   /* by thread name, */
	OW_CNT_OTHER_CGROUP, /* by cgroup; not known how long */
	OW_CNT_ACCOUNT_RING, /* accounts of threads that ended: not a loss of intervals */
	OW_CNT_CNT
};

struct ow_count {
	__u64 count, time_ns;
};

/* --reconcile: one thread's time in the recording, as account.bpf.h counts it. */
struct ow_account {
	__u32 tid, tgid;
	__u64 begin_ns, end_ns, cpu_ns;
	__s64 early_ns;		 /* of cpu_ns: before switches to it, less before those away */
	__u64 left_ns, left_cnt; /* kept out by a filter */
	__u64 lost_ns, lost_cnt; /* the row table was full */
	__u64 unseen_ns;	 /* switches were not shown: */
	__u32 unseen_ends, unseen_begins;
	char comm[OW_COMM_LEN];
};

/* Text ranges that tell an interrupt's stack from a task's. */
#define OW_RANGES_MAX 4
struct ow_range {
	__u64 start, end;
};

/* A thread name, or its first bits: a key of filter_names. */
struct ow_name {
	__u32 bits;
	char comm[OW_COMM_LEN];
};

/* How far up a thread's parents are looked through when recording begins. */
#define OW_ANCESTORS_MAX 64

enum ow_filter {
	OW_FILTER_NONE,
	OW_FILTER_TGID,
	OW_FILTER_TID,
	OW_FILTER_USER,
	OW_FILTER_KERNEL,
	OW_FILTER_COMMAND,
};

/* Processes that work for the recorder. */
#define OW_HELPERS 2

/* Which stacks are taken. */
enum ow_stacks { OW_STACKS_BOTH, OW_STACKS_USER, OW_STACKS_KERNEL };

#endif
