/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * choose.bpf.h - which times off CPU of a target are recorded: by state, by the thread's name,
 * by its cgroup. All are as they are when the thread leaves its CPU, and stay decided until it
 * is back: a thread that is renamed or moved while it is off CPU changes nothing.
 */
#ifndef OW_CHOOSE_BPF_H
#define OW_CHOOSE_BPF_H

#include "task.bpf.h"

/* Exact names are prefixes of all 16 bytes, zeros included. */
struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, 1); /* as many as were asked for */
	__type(key, struct ow_name);
	__type(value, __u8);
} filter_names SEC(".maps");

static __always_inline bool is_wanted_name(const char *comm)
{
	struct ow_name name = { .bits = 8 * OW_COMM_LEN };

	__builtin_memcpy(name.comm, comm, OW_COMM_LEN);
	return bpf_map_lookup_elem(&filter_names, &name);
}

/* Its ancestor at the level of the cgroup that was asked for is that cgroup. */
static __always_inline bool is_in_cgroup(struct task_struct *p)
{
	struct cgroup *cgroup = p->cgroups->dfl_cgrp, *ancestor = NULL;
	struct cgroup___before_6_1 *older;
	__u64 id = 0;

	if (cgroup->level < (int)knob_cgroup_level)
		return false;
	if (bpf_core_field_exists(cgroup->ancestors)) {
		bpf_probe_read_kernel(&ancestor, sizeof(ancestor),
				      (void *)&cgroup->ancestors +
					      knob_cgroup_level * sizeof(ancestor));
		return BPF_CORE_READ(ancestor, kn, id) == knob_cgroup;
	}
	older = (struct cgroup___before_6_1 *)cgroup;
	bpf_probe_read_kernel(&id, sizeof(id),
			      (void *)&older->ancestor_ids + knob_cgroup_level * sizeof(id));
	return id == knob_cgroup;
}

/* The counter of the reason why an interval of p is left out that begins in off->state, or 0. */
static __always_inline __u32 why_left_out(struct task_struct *p, struct absence *off)
{
	if (!is_wanted_state(off->state))
		return OW_CNT_OTHER_STATE;
	bpf_probe_read_kernel(off->comm, sizeof(off->comm), p->comm);
	clean_comm(off->comm);
	if (knob_by_name && !is_wanted_name(off->comm))
		return OW_CNT_OTHER_NAME;
	if (knob_cgroup && !is_in_cgroup(p))
		return OW_CNT_OTHER_CGROUP;
	return 0;
}

/*
 * Whether the time off CPU of p is recorded that begins, or has begun, in off->state. Fills
 * off->comm.
 */
static __always_inline bool choose(struct task_struct *p, struct absence *off)
{
	__u32 why = why_left_out(p, off);

	if (why)
		count(why, 1, 0);
	return !why;
}

/*
 * Whether the waker of p may matter: if p is off CPU and that is recorded, or if it would be.
 * A p that has yet to leave its CPU will do so as it is now, unless somebody else renames or
 * moves it within these microseconds; of one that was left out it is no loss to be asked again.
 */
static __always_inline bool needs_waker(struct task_struct *p, const struct absence *off)
{
	struct absence now;

	if (off->off_ns || (!knob_by_state && !knob_by_name && !knob_cgroup))
		return true;
	now.state = read_state(p);
	return !why_left_out(p, &now);
}

#endif
