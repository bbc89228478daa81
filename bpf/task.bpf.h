/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * task.bpf.h - what is remembered of a thread, and reads of a task that differ by kernel.
 */
#ifndef OW_TASK_BPF_H
#define OW_TASK_BPF_H

#include "count.bpf.h"
#include "filter.bpf.h"
#include <bpf/bpf_core_read.h>

struct waking {
	__u64 at_ns; /* 0: none since the last switch-in */
	__u64 kstack, ustack;
	struct ow_who waker, interrupted;
	__u32 context;
};

/* One time off CPU: from its beginning to, later, its end. */
struct absence {
	__u64 off_ns; /* 0: on CPU, or not known */
	__u64 kstack, ustack;
	__u32 state;
	__u32 kind; /* OW_BLOCKED or OW_PREEMPTED */
	char comm[OW_COMM_LEN];
};

/*
 * The switch programs of one thread follow each other; its waking ones do, too, and write waking
 * alone. Only before belongs to the iterator that runs once after attaching: it holds while
 * no switch of the thread has been seen, so neither side waits for the other.
 */
struct task_state {
	__u64 start_time; /* tells a reused tid in the fallback hash */
	__u64 image_ns;	  /* of its process' last exec, or its making */
	struct absence off, before;
	struct waking waking;
	__u64 switches; /* out, in the thread's life, when before was noted */
	__u8 switched;	/* a switch was seen: before is void */
	__u8 followed;	/* it, or one it descends from, was asked for */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_state);
} states SEC(".maps");

/*
 * Where task storage could not be had: for tasks we did not see being made, and up to 6.19
 * also spuriously, while this CPU is anywhere in the storage code (a per-CPU busy counter,
 * kernel/bpf/bpf_task_storage.c). Preallocated, by tid.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct task_state);
} fallback_states SEC(".maps");

bool fallback_used;

static const struct task_state empty_state;

static __always_inline struct task_state *fallback_of(const struct task_struct *p)
{
	__u32 tid = p->pid;
	struct task_state *s;

	if (!fallback_used)
		return NULL;
	s = bpf_map_lookup_elem(&fallback_states, &tid);
	return s && s->start_time == p->start_time ? s : NULL;
}

static __always_inline struct task_state *make_fallback(const struct task_struct *p)
{
	__u32 tid = p->pid;
	struct task_state *s;

	fallback_used = true;
	bpf_map_update_elem(&fallback_states, &tid, &empty_state, BPF_ANY);
	s = bpf_map_lookup_elem(&fallback_states, &tid);
	if (!s) {
		count(OW_CNT_TASK_STATE, 1, 0);
		return NULL;
	}
	s->start_time = p->start_time;
	count(OW_CNT_FALLBACKS, 1, 0);
	return s;
}

/* A dead thread's storage goes with it; its fallback would stay. */
static __always_inline void forget_fallback(const struct task_struct *p)
{
	__u32 tid = p->pid;

	if (fallback_used)
		bpf_map_delete_elem(&fallback_states, &tid);
}

/* The state of p if there is one. Never of a thread that is not followed. */
static __always_inline struct task_state *state_of(struct task_struct *p)
{
	struct task_state *s = bpf_task_storage_get(&states, p, NULL, 0);

	return s ? s : fallback_of(p);
}

/*
 * Makes it at need. Only where no scheduler lock is held: storage is allocated, and up to 6.3
 * an allocation may wake kswapd.
 */
static __always_inline struct task_state *make_state(struct task_struct *p)
{
	struct task_state *s = state_of(p);

	if (!s)
		s = bpf_task_storage_get(&states, p, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	return s ? s : make_fallback(p);
}

/* The state of a thread that is a target; with knob_follow only those have one. */
static __always_inline struct task_state *target_state(struct task_struct *p)
{
	struct task_state *s;

	if (!is_candidate(p))
		return NULL;
	s = state_of(p);
	if (s || knob_follow)
		return s;
	return make_fallback(p);
}

static __always_inline __u32 read_state(struct task_struct *p)
{
	if (bpf_core_field_exists(p->__state))
		return p->__state;
	return BPF_CORE_READ((struct task_struct___before_5_14 *)p, state);
}

static __always_inline bool is_on_cpu(struct task_struct *task)
{
	return bpf_core_field_exists(task->on_cpu) && task->on_cpu;
}

static __always_inline __u64 switches_of(struct task_struct *task)
{
	return task->nvcsw + task->nivcsw;
}

/*
 * Whether the thread has been off CPU ever since before was noted. Some hosts hide switches:
 * the kernel's own count of them decides, too.
 */
static __always_inline bool is_still_before(struct task_struct *task, struct task_state *s)
{
	bool noted = __sync_fetch_and_add(&s->before.off_ns, 0); /* and a barrier */

	return noted && !s->switched && !is_on_cpu(task) && switches_of(task) == s->switches;
}

static __always_inline void read_who(struct ow_who *who, struct task_struct *p)
{
	who->tid = p->pid;
	who->tgid = p->tgid;
	bpf_probe_read_kernel(who->comm, sizeof(who->comm), p->comm);
}

/* Bytes behind the terminator are not always zero, and keys are compared whole. */
static __always_inline void clean_comm(char *comm)
{
	bool ended = false;

	for (int i = 0; i < OW_COMM_LEN; i++) {
		if (!comm[i])
			ended = true;
		if (ended)
			comm[i] = 0;
	}
}

#endif
