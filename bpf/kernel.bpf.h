/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * kernel.bpf.h - the kernel types we touch, and of those only the members we touch. Offsets
 * come from the running kernel's BTF (CO-RE); this is no copy of a kernel header.
 */
#ifndef OW_KERNEL_BPF_H
#define OW_KERNEL_BPF_H

#include <stdbool.h>
#include <linux/bpf.h>

/* include/linux/sched.h */
#define TASK_RUNNING 0
#define TASK_DEAD    0x80    /* since 4.14; the thread never comes back */
#define TASK_NEW     0x800   /* since 4.8; made, not yet woken for the first time */
#define CLONE_THREAD 0x10000 /* include/uapi/linux/sched.h */
#define PF_KTHREAD   0x00200000

/* include/linux/mm.h, include/uapi/asm-generic/mman-common.h */
#define VM_EXEC	      0x4
#define PROT_EXEC     0x4
#define MAP_ANONYMOUS 0x20

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct mm_struct;
struct file;

struct kernfs_node {
	__u64 id; /* of a cgroup; the inode number of its directory */
};

struct cgroup {
	int level; /* 0: the root of the hierarchy */
	struct kernfs_node *kn;
	struct cgroup *ancestors[]; /* by level, itself included; since 6.1 */
};

struct cgroup___before_6_1 {
	int level;
	__u64 ancestor_ids[];
};

struct css_set {
	struct cgroup *dfl_cgrp; /* in the hierarchy of version 2 */
};

struct rq {
	__u64 clock;	  /* of the scheduler, as last read on this CPU */
	__u64 clock_task; /* without time that the host or interrupts took */
};

struct cfs_rq {
	struct rq *rq; /* CONFIG_FAIR_GROUP_SCHED */
};

struct sched_entity {
	struct cfs_rq *cfs_rq; /* CONFIG_FAIR_GROUP_SCHED; of the CPU it is on, in any class */
	__u64 exec_start;	/* clock_task up to which CPU time is accounted */
	__u64 sum_exec_runtime; /* ns on CPU; of a running thread as of the last tick or so */
};

struct task_struct {
	unsigned int __state; /* since 5.14 */
	unsigned int flags;
	unsigned int on_cpu; /* CONFIG_SMP; int, then u8: only unsigned ones may be resized */
	__u32 pid, tgid;     /* int there; the tid and tgid of user space */
	__u64 start_time;    /* CLOCK_MONOTONIC */
	struct mm_struct *mm;
	struct task_struct *group_leader;
	struct sched_entity se;
	struct task_struct *real_parent;
	struct css_set *cgroups;
	unsigned long nvcsw, nivcsw;
	char comm[16];
};

struct task_struct___before_5_14 {
	long state;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct vm_area_struct {
	unsigned long vm_start, vm_end, vm_flags;
	struct file *vm_file;
};

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#if defined(__TARGET_ARCH_x86)
struct pt_regs {
	unsigned long orig_ax; /* the system call; -1 for interrupts and exceptions */
	unsigned long bx, cx, dx, si, di, r10; /* its arguments */
	unsigned long ip, sp, bp, cs;
};
#elif defined(__TARGET_ARCH_arm64)
struct pt_regs {
	int syscallno; /* -1 likewise */
	__u64 regs[31], sp, pc, pstate;
};
#endif

#pragma clang attribute pop

#endif
