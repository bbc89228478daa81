/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * filter.bpf.h - the recorder's settings, constant once loaded, and who is recorded.
 */
#ifndef OW_FILTER_BPF_H
#define OW_FILTER_BPF_H

#include "kernel.bpf.h"
#include "wire.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

const volatile __u32 knob_filter;		  /* enum ow_filter */
const volatile bool knob_follow;		  /* whoever descends from those, too */
const volatile __u32 knob_stacks;		  /* enum ow_stacks */
const volatile bool knob_by_state;		  /* only intervals that begin in knob_state: */
const volatile __u32 knob_state;		  /* any of these bits; 0 is TASK_RUNNING */
const volatile bool knob_by_name;		  /* only of threads named in filter_names */
const volatile __u64 knob_cgroup;		  /* only of threads below it, an id; 0: all */
const volatile __u32 knob_cgroup_level;		  /* its depth; the root's is 0 */
const volatile __u64 knob_min_ns;		  /* shortest interval counted */
const volatile __u64 knob_max_ns = ~0ULL;	  /* longest */
const volatile __u32 knob_frames = OW_FRAMES_MAX; /* perf_event_max_stack, if lower */
const volatile __u64 knob_seed, knob_salt;	  /* of the stack hash, secret to this recording */
const volatile bool knob_state_arg;		  /* sched_switch has a prev_state argument */
const volatile bool knob_walks;			  /* user stacks of sleepers will be read */
const volatile bool knob_raw_wakers;		  /* interrupts do not hide who was current */
const volatile struct ow_range knob_irq[OW_RANGES_MAX];
const volatile struct ow_range knob_softirq[OW_RANGES_MAX];

/* The recording lasts from start_ns to stop_ns; user space sets them while we run. */
__u64 start_ns = ~0ULL;
__u64 stop_ns = ~0ULL;

__u64 walks_end_ns = ~0ULL; /* after that no more user stacks of sleepers are read */
__u64 walked_cnt, busy_cnt; /* those that were; whose address space was being changed */

__u32 self_tgid; /* the recorder, never a target */

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1); /* as many as were asked for */
	__type(key, __u32);
	__type(value, __u8);
} filter_ids SEC(".maps");

static __always_inline bool is_asked_for(__u32 id)
{
	return bpf_map_lookup_elem(&filter_ids, &id);
}

/*
 * Whether p can be a target. With knob_follow that is not a matter of ids: a thread's state
 * says whether it descends from one that was asked for (see state_of()).
 */
static __always_inline bool is_candidate(const struct task_struct *p)
{
	if (!p->pid || p->tgid == self_tgid)
		return false;
	if (knob_follow)
		return true;
	if (knob_filter == OW_FILTER_USER)
		return !(p->flags & PF_KTHREAD);
	if (knob_filter == OW_FILTER_KERNEL)
		return p->flags & PF_KTHREAD;
	if (knob_filter == OW_FILTER_TGID)
		return is_asked_for(p->tgid);
	if (knob_filter == OW_FILTER_TID)
		return is_asked_for(p->pid);
	return true;
}

/*
 * With knob_follow: whether p or one of its parents, as they are now, was asked for. A thread's
 * parent is the thread that made its process.
 */
static __always_inline bool descends_from_asked(const struct task_struct *p)
{
	for (int i = 0; i < OW_ANCESTORS_MAX; i++) {
		__u32 tid = BPF_CORE_READ(p, pid);

		if (!tid)
			return false;
		if (is_asked_for(knob_filter == OW_FILTER_TID ? tid : BPF_CORE_READ(p, tgid)))
			return true;
		p = BPF_CORE_READ(p, real_parent);
	}
	return false;
}

/* Whether an interval is recorded that begins in this state (0: preempted). */
static __always_inline bool is_wanted_state(__u32 state)
{
	if (!knob_by_state)
		return true;
	return knob_state ? state & knob_state : state == TASK_RUNNING;
}

#endif
