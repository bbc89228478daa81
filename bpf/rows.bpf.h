/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * rows.bpf.h - sums finished intervals by target, kind and waker.
 *
 * There are two row maps. Programs fill the one that stands in active_rows while user space
 * drains the other: setting an element of an array of maps returns only after a grace period
 * (kernel/bpf/syscall.c, maybe_wait_bpf_programs), so a map that was taken out is quiet.
 */
#ifndef OW_ROWS_BPF_H
#define OW_ROWS_BPF_H

#include "bounds.h"
#include "task.bpf.h"

struct row_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 131072); /* --max-memory */
	__type(key, struct ow_row_key);
	__type(value, struct ow_row_value);
} rows_a SEC(".maps"), rows_b SEC(".maps");

/* Its inner type has one entry: one such map is made as a pattern when the programs load. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_HASH);
			__uint(max_entries, 1);
			__type(key, struct ow_row_key);
			__type(value, struct ow_row_value);
		});
} active_rows SEC(".maps") = {
	.values = { (void *)&rows_a },
};

/* The interval, clipped to the recording; false when nothing of it lies inside. */
static __always_inline bool fill_row(struct ow_row_key *key, struct ow_row_value *value,
				     const struct task_state *s, const struct absence *off,
				     __u64 begin_ns, __u64 end_ns)
{
	__u64 woken_ns = s->waking.at_ns;

	if (begin_ns < start_ns) {
		begin_ns = start_ns;
		key->flags = OW_BEGAN_BEFORE;
	}
	if (begin_ns >= end_ns)
		return false;
	if (off->kind == OW_PREEMPTED)
		woken_ns = begin_ns;
	else if (!woken_ns || woken_ns > end_ns)
		woken_ns = end_ns;
	else if (woken_ns < begin_ns)
		woken_ns = begin_ns;
	value->wait_ns = woken_ns - begin_ns;
	value->runq_ns = end_ns - woken_ns;
	value->count = 1;
	value->max_ns = end_ns - begin_ns;
	value->max_end_ns = end_ns;
	key->kind = off->kind;
	key->state = off->state;
	key->target_kstack = off->kstack;
	key->target_ustack = off->ustack;
	if (off == &s->before && key->target_ustack >> 16 == OW_LOST_WALK)
		count(OW_CNT_STACK_WALK, 1, 0);
	key->target.image_ns = s->image_ns;
	__builtin_memcpy(key->target.comm, off->comm, OW_COMM_LEN);
	return true;
}

static __always_inline void fill_waker(struct ow_row_key *key, struct ow_row_value *value,
				       const struct waking *waking)
{
	if (key->kind != OW_BLOCKED)
		return;
	if (!waking->at_ns) {
		key->kind = OW_UNOBSERVED;
		return;
	}
	key->context = waking->context;
	key->waker = waking->waker;
	key->waker_kstack = waking->kstack;
	key->waker_ustack = waking->ustack;
	value->interrupted = waking->interrupted;
}

static __always_inline bool is_wanted(const struct ow_row_value *value)
{
	return ow_is_within(value->max_ns, knob_min_ns, knob_max_ns);
}

/*
 * One thread's intervals end one after another, and the key holds its tid: nobody else adds
 * to this row now, so plain additions are exact. True when it was counted into a row.
 */
static __always_inline bool add_row(const struct ow_row_key *key, const struct ow_row_value *add)
{
	const __u32 zero = 0;
	struct ow_row_value *sum;
	void *rows = bpf_map_lookup_elem(&active_rows, &zero);

	if (!is_wanted(add)) {
		count(OW_CNT_FILTERED, 1, add->max_ns);
		return false;
	}
	if (!rows)
		return false;
	sum = bpf_map_lookup_elem(rows, key);
	if (!sum && bpf_map_update_elem(rows, key, add, BPF_NOEXIST)) {
		count(OW_CNT_ROWS_FULL, 1, add->max_ns);
		return false;
	}
	count(OW_CNT_INTERVALS, 1, add->max_ns);
	if (!sum)
		return true;
	sum->wait_ns += add->wait_ns;
	sum->runq_ns += add->runq_ns;
	sum->count++;
	if (add->max_ns > sum->max_ns) {
		sum->max_ns = add->max_ns;
		sum->max_end_ns = add->max_end_ns;
		sum->interrupted = add->interrupted;
	}
	return true;
}

#endif
