// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the switches that this kernel does not show to any tracing program. On one CPU the
 * thread that the last event switched to is the thread that the next event switches from; if
 * it is another one, a switch to that other one was not shown. Some hosts hide the switches
 * of chosen threads; no recorder can know of those, and an exact count must allow for them.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define TIDS_MAX 65536

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct last_next {
	__u32 tid;
	__u32 known;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct last_next);
} last_next SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TIDS_MAX);
	__type(key, __u32);
	__type(value, __u64);
} hidden SEC(".maps");

SEC("raw_tp/sched_switch")
int witness_switch(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 prev = BPF_CORE_READ((struct task_struct *)ctx->args[1], pid);
	__u32 key = 0;
	__u64 one = 1, *cnt;
	struct last_next *last = bpf_map_lookup_elem(&last_next, &key);

	if (!last)
		return 0;
	if (last->known && last->tid != prev) {
		cnt = bpf_map_lookup_elem(&hidden, &prev);
		if (cnt)
			__sync_fetch_and_add(cnt, 1);
		else
			bpf_map_update_elem(&hidden, &prev, &one, BPF_NOEXIST);
	}
	last->tid = BPF_CORE_READ((struct task_struct *)ctx->args[2], pid);
	last->known = 1;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
