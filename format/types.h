/* SPDX-License-Identifier: Apache-2.0 */
/*
 * types.h - the records of a recording, as both programs speak of them.
 *
 * Ids are dense, start at 1 and name only what was defined before; 0 means absent. Times are
 * nanoseconds of the recorded host's CLOCK_MONOTONIC, durations nanoseconds. Strings are
 * bytes: no charset, no terminator is promised by a file (readers append one for comfort).
 */
#ifndef OWT_TYPES_H
#define OWT_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why a thread was off CPU, or what is known of it. Values are part of the file format. */
enum owt_kind {
	OWT_KIND_BLOCKED = 0,		/* slept, and its waking was seen */
	OWT_KIND_UNOBSERVED = 1,	/* slept, no waking was seen */
	OWT_KIND_PREEMPTED = 2,		/* was still runnable */
	OWT_KIND_OPEN = 3,		/* still off CPU when the recording stopped */
	OWT_KIND_CNT
};

/* In which context the waking ran. Values are part of the file format. */
enum owt_context {
	OWT_CTX_NONE = 0,		/* no waker */
	OWT_CTX_TASK = 1,
	OWT_CTX_SOFTIRQ = 2,
	OWT_CTX_HARDIRQ = 3,
	OWT_CTX_IDLE = 4,		/* the idle loop itself */
	OWT_CTX_CNT
};

/* How a stack ended. Values are part of the file format. */
enum owt_stack_status {
	OWT_STACK_COMPLETE = 0,
	OWT_STACK_TRUNCATED = 1,	/* cut at the depth limit: root frames are missing */
	OWT_STACK_WALK_FAILED = 2,	/* the kernel could not walk it: no frames */
	OWT_STACK_TABLE_FULL = 3,	/* --stack-storage-size reached: no frames */
	OWT_STACK_NOT_SENT = 4,		/* its body never fitted the ring buffer: no frames */
	OWT_STACK_STATUS_CNT
};

/*
 * What can be lost, by cause. Each cause counts events; time_ns is the off-CPU time that is
 * missing from the rows because of it, where it is known. Values are part of the file format.
 */
enum owt_loss {
	OWT_LOSS_ROWS_FULL = 0,		/* intervals: row table full */
	OWT_LOSS_TASK_STATE = 1,	/* events: no room to remember a thread */
	OWT_LOSS_MISSED_EVENTS = 2,	/* events: the kernel skipped our program (recursion) */
	OWT_LOSS_OPEN_ROWS = 3,		/* intervals: open at the end, could not be read */
	OWT_LOSS_STACK_WALK = 4,	/* stacks: could not be walked */
	OWT_LOSS_STACK_TABLE = 5,	/* stacks: table full */
	OWT_LOSS_STACK_RING = 6,	/* stacks: ring buffer full when first seen */
	OWT_LOSS_STACK_COLLISION = 7,	/* stacks: two bodies with one hash */
	OWT_LOSS_PROC_MAPS = 8,		/* processes: gone before their mappings were read */
	OWT_LOSS_UNSEEN_SWITCH = 9,	/* intervals: a switch that began or ended them was hidden */
	OWT_LOSS_MAP_EVENTS = 10,	/* mapping events: names of some frames may be wrong */
	OWT_LOSS_CNT
};

/* Short stable names ("row-table-full"), for outputs; never null. */
const char *owt_kind_name(unsigned kind);
const char *owt_context_name(unsigned context);
const char *owt_stack_status_name(unsigned status);
const char *owt_loss_name(unsigned cause);
/* What the loss costs, in words for people: "intervals lost: row table full". */
const char *owt_loss_text(unsigned cause);
/* True where intervals, rows or events are missing: exit status 3. Stacks are not. */
bool owt_loss_is_partial(unsigned cause);

struct owt_losses {
	uint64_t count[OWT_LOSS_CNT];
	uint64_t time_ns[OWT_LOSS_CNT];
};

/* A string as the reader lends it: bytes[len] is a terminator, bytes may hold others. */
struct owt_string {
	const char *bytes;
	size_t len;
};

struct owt_meta {
	struct owt_string key, value;
};

/* One node of the call tree: a frame below its parent. Roots have parent 0. */
struct owt_node {
	uint32_t parent;		/* node id, smaller than this node's own */
	uint64_t addr;			/* return address: one past a byte of the instruction */
};

/* A stack: the path from a leaf node to its root; leaf 0 has no frames. */
struct owt_stack {
	uint32_t leaf;			/* node id */
	uint8_t status;			/* enum owt_stack_status */
	uint16_t error;			/* errno of the walk, 0 when none */
};

struct owt_thread {
	uint32_t tid, tgid;
	uint32_t comm;			/* string id */
};

/* A loadable segment of an ELF file (PT_LOAD), to turn file offsets into its addresses. */
struct owt_segment {
	uint64_t offset;		/* in the file */
	uint64_t vaddr;
	uint64_t filesz;
};

#define OWT_BUILD_ID_MAX 64
#define OWT_SEGMENTS_MAX 64

/* A mapped file. */
struct owt_module {
	uint32_t path;			/* string id, as the kernel named it */
	uint8_t build_id_len;		/* 0: none, or not readable */
	uint8_t build_id[OWT_BUILD_ID_MAX];
	uint16_t segment_cnt;		/* 0: not ELF, or not readable */
	struct owt_segment segments[OWT_SEGMENTS_MAX];
};

/*
 * The address of a byte of the file in its segments' terms; the offset itself where none holds
 * it. Recorder and reporter must agree on it.
 */
uint64_t owt_module_vaddr(const struct owt_module *module, uint64_t offset);

/* A process image: one tgid between two execs, as far as it was seen. */
struct owt_process {
	uint32_t tgid;
	uint32_t comm;			/* string id: the group leader's name */
	uint32_t exe;			/* string id of the executable's path; 0 unknown */
	uint64_t start_ns;		/* since boot, /proc/PID/stat field 22; 0 unknown */
};

/* An executable mapping [start, end) of one process. Later ones win where two overlap. */
struct owt_mapping {
	uint32_t process;		/* process id */
	uint32_t module;		/* module id; 0: anonymous */
	uint64_t start, end;
	uint64_t offset;		/* in the file */
};

/* A kernel text symbol. Files hold them in ascending order of address. */
struct owt_ksym {
	uint64_t addr;
	char type;			/* as in /proc/kallsyms: t, T, w, W */
	struct owt_string name;
	struct owt_string module;	/* empty: the kernel itself */
};

/*
 * A function of a mapped file (module set; addresses as in its segments) or of code that a
 * process made at run time (process set; addresses as in its mappings). It covers
 * [addr, addr + size); size is at least 1.
 */
struct owt_symbol {
	uint32_t module, process;	/* ids, one of them 0 */
	uint64_t addr, size;
	struct owt_string name;
};

#define OWT_ROW_BEGAN_BEFORE 0x1u	/* off CPU already when the recording began: clipped */
#define OWT_ROW_OVERFLOW     0x2u	/* a sum stands at its maximum */

/*
 * Off-CPU intervals of one slice that are alike in everything but their times.
 * total = wait + runq. wait: switch-out to waking; runq: waking to switch-in.
 */
struct owt_row {
	uint8_t kind;			/* enum owt_kind */
	uint8_t context;		/* enum owt_context */
	uint32_t flags;
	uint32_t state;			/* task state bits at switch-out */
	uint32_t target;		/* thread ids */
	uint32_t waker;			/* in a context other than task a bystander, or 0 */
	uint32_t interrupted;		/* who was interrupted, in the longest interval */
	uint32_t target_process, waker_process; /* images that the user stacks lie in; 0 unknown */
	uint32_t target_kstack, target_ustack, waker_kstack, waker_ustack; /* stack ids */
	uint64_t wait_ns, runq_ns;
	uint64_t count;
	uint64_t max_ns;		/* the longest interval, and when it ended */
	uint64_t max_end_ns;
};

/*
 * What one thread's rows must add up to: the time from its begin to its end less cpu (itself less
 * early), left, lost and unseen. From the recording's start, or the thread's first switch-in, to
 * the recording's end or the thread's own.
 */
struct owt_account {
	uint32_t thread;		/* thread id */
	uint64_t begin_ns, end_ns;
	uint64_t cpu_ns;		/* as the kernel accounts it */
	int64_t early_ns;		/* of it: before switches to it, less before those away */
	uint64_t left_ns, left_cnt;	/* intervals kept out by a filter */
	uint64_t lost_ns, lost_cnt;	/* intervals for which the row table had no room */
	uint64_t unseen_ends;		/* intervals lost as their end was not shown */
	uint64_t unseen_begins;		/* ... as not even their beginning was */
	uint64_t unseen_ns;		/* of both */
};

/* Three clocks read together, so that monotonic times can be dated. */
struct owt_clock {
	uint64_t monotonic_ns, realtime_ns, boottime_ns;
};

struct owt_slice {
	uint64_t start_ns, end_ns;
	struct owt_clock clock;		/* at end_ns, about */
	struct owt_losses losses;	/* in this slice */
};

struct owt_end {
	uint64_t start_ns, end_ns;	/* the recording */
	struct owt_clock clock;
	struct owt_losses losses;	/* of the whole recording: not less than the slices' sum */
};

#endif
