// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A program that does nothing: what the kernel's own statistics cost per run. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

SEC("raw_tp/sched_switch")
int empty_switch(void *ctx)
{
	(void)ctx;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
