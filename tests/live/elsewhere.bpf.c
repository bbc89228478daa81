// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Counts the wake-ups that somebody else carried out than who asked for them: a thread may be
 * put on a list of its CPU, whose interrupt or idle loop then makes it runnable. sched_waking
 * runs where it is asked for, sched_wakeup where it is carried out.
 */
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#define TIDS_MAX 65536

struct task_struct {
	int pid;
} __attribute__((preserve_access_index));

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TIDS_MAX);
	__type(key, __u32);
	__type(value, __u32);
} askers SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TIDS_MAX);
	__type(key, __u32);
	__type(value, __u64);
} elsewhere SEC(".maps");

SEC("raw_tp/sched_waking")
int elsewhere_waking(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tid = BPF_CORE_READ((struct task_struct *)ctx->args[0], pid);
	__u32 asker = (__u32)bpf_get_current_pid_tgid();

	bpf_map_update_elem(&askers, &tid, &asker, BPF_ANY);
	return 0;
}

SEC("raw_tp/sched_wakeup")
int elsewhere_wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 tid = BPF_CORE_READ((struct task_struct *)ctx->args[0], pid);
	__u32 *asker = bpf_map_lookup_elem(&askers, &tid);
	__u64 one = 1, *cnt;

	if (!asker || *asker == (__u32)bpf_get_current_pid_tgid())
		return 0;
	cnt = bpf_map_lookup_elem(&elsewhere, &tid);
	if (cnt)
		__sync_fetch_and_add(cnt, 1);
	else
		bpf_map_update_elem(&elsewhere, &tid, &one, BPF_NOEXIST);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
