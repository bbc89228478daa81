// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The method offwake replaces, for comparison only: raw tracepoints, state in hashes keyed by
 * tid. At sched_switch the current task is still prev, so the comm and stacks read there are
 * prev's, yet they are stored under next's tid; sched_wakeup may run on the wakee's CPU, so
 * its current task need not be the waker. Both mistakes are kept on purpose.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "ancestor.h"

struct task_struct {
	int pid;
	int tgid;
} __attribute__((preserve_access_index));

struct woken_by {
	char comm[ANCESTOR_COMM];
	__s64 kstack, ustack;
	__u32 tid, tgid;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ANCESTOR_ROWS);
	__type(key, struct ancestor_key);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ANCESTOR_ROWS);
	__type(key, __u32);
	__type(value, __u64);
} start SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, ANCESTOR_ROWS);
	__type(key, __u32);
	__type(value, struct woken_by);
} wokeby SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_STACK_TRACE);
	__uint(max_entries, ANCESTOR_STACKS);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, ANCESTOR_DEPTH * sizeof(__u64));
} stacks SEC(".maps");

__u64 tallies[ANCESTOR_COUNTS];

static __s64 take_stack(struct bpf_raw_tracepoint_args *ctx, __u64 flags)
{
	__s64 id = bpf_get_stackid(ctx, &stacks, flags);

	__sync_fetch_and_add(&tallies[ANCESTOR_TAKEN], 1);
	if (id == -17) /* EEXIST: another stack is in its bucket */
		__sync_fetch_and_add(&tallies[ANCESTOR_COLLIDED], 1);
	return id;
}

SEC("raw_tp/sched_wakeup")
int ancestor_wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *p = (struct task_struct *)ctx->args[0];
	__u32 tid = BPF_CORE_READ(p, pid);
	__u64 id = bpf_get_current_pid_tgid();
	struct woken_by by = {};

	bpf_get_current_comm(by.comm, sizeof(by.comm));
	by.kstack = take_stack(ctx, 0);
	by.ustack = take_stack(ctx, BPF_F_USER_STACK);
	by.tid = (__u32)id;
	by.tgid = id >> 32;
	bpf_map_update_elem(&wokeby, &tid, &by, BPF_ANY);
	return 0;
}

static void add_row(struct bpf_raw_tracepoint_args *ctx, struct task_struct *next, __u64 us)
{
	struct ancestor_key key = {};
	__u32 tid = BPF_CORE_READ(next, pid);
	struct woken_by *by = bpf_map_lookup_elem(&wokeby, &tid);
	__u64 zero = 0, *sum;

	key.target_tid = tid;
	key.target_tgid = BPF_CORE_READ(next, tgid);
	bpf_get_current_comm(key.target, sizeof(key.target));
	key.target_kstack = take_stack(ctx, 0);
	key.target_ustack = take_stack(ctx, BPF_F_USER_STACK);
	if (by) {
		__builtin_memcpy(key.waker, by->comm, sizeof(key.waker));
		key.waker_kstack = by->kstack;
		key.waker_ustack = by->ustack;
		key.waker_tid = by->tid;
		key.waker_tgid = by->tgid;
		bpf_map_delete_elem(&wokeby, &tid);
	}
	bpf_map_update_elem(&counts, &key, &zero, BPF_NOEXIST);
	sum = bpf_map_lookup_elem(&counts, &key);
	if (sum)
		__sync_fetch_and_add(sum, us);
	else
		__sync_fetch_and_add(&tallies[ANCESTOR_NO_ROW], 1);
}

SEC("raw_tp/sched_switch")
int ancestor_switch(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *prev = (struct task_struct *)ctx->args[1];
	struct task_struct *next = (struct task_struct *)ctx->args[2];
	__u32 tid = BPF_CORE_READ(prev, pid);
	__u64 now = bpf_ktime_get_ns(), *since, us;

	bpf_map_update_elem(&start, &tid, &now, BPF_ANY);
	tid = BPF_CORE_READ(next, pid);
	since = bpf_map_lookup_elem(&start, &tid);
	if (!since)
		return 0;
	us = (now - *since) / 1000;
	bpf_map_delete_elem(&start, &tid);
	if (us)
		add_row(ctx, next, us);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
