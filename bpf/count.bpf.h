/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * count.bpf.h - counters: nothing is lost without one of these saying so.
 */
#ifndef OW_COUNT_BPF_H
#define OW_COUNT_BPF_H

#include "kernel.bpf.h"
#include "wire.h"
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, OW_CNT_CNT);
	__type(key, __u32);
	__type(value, struct ow_count);
} counters SEC(".maps");

static __always_inline void count(__u32 which, __u64 events, __u64 time_ns)
{
	struct ow_count *c = bpf_map_lookup_elem(&counters, &which);

	if (c) {
		c->count += events;
		c->time_ns += time_ns;
	}
}

#endif
