/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * epoch.bpf.h - since when a process has had the code it has.
 *
 * The addresses of a stack mean what was mapped when it was taken. So each is taken together with
 * the instant of the last change: the process' making, its last exec, or the last executable
 * mapping. That is one for all its threads and lies with the first of them, whose task_struct
 * stays as long as any other's. A change is noted after perf has recorded it and before the
 * mapping can be executed, for the address space is locked: what was recorded until the instant
 * is what the stack meant. An unmapping needs no note, since nothing runs there.
 */
#ifndef OW_EPOCH_BPF_H
#define OW_EPOCH_BPF_H

#include "count.bpf.h"
#include "kernel.bpf.h"
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

struct epoch {
	__u64 since_ns;
	__u64 anon_start, anon_end; /* code without a file that was noted already */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct epoch);
} epochs SEC(".maps");

/* 0: it has what it had when the recording began. */
static __always_inline __u64 epoch_of(struct task_struct *p)
{
	struct epoch *e = NULL;

	if (!(p->flags & PF_KTHREAD))
		e = bpf_task_storage_get(&epochs, p->group_leader, NULL, 0);
	return e ? e->since_ns : 0;
}

/* Null is counted: names of what follows may be wrong. Only where storage may be allocated. */
static __always_inline struct epoch *make_epoch(struct task_struct *p)
{
	struct epoch *e = bpf_task_storage_get(&epochs, p->group_leader, NULL,
					       BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!e)
		count(OW_CNT_EPOCHS, 1, 0);
	return e;
}

/* A new process, or a new program in it. */
static __always_inline void begin_epoch(struct task_struct *p)
{
	struct epoch *e = make_epoch(p);

	if (!e)
		return;
	e->anon_start = e->anon_end = 0;
	e->since_ns = bpf_ktime_get_ns();
}

/* A new executable mapping; the address space is locked. */
struct mapped {
	__u64 start, end;
	bool has_file;
};

/*
 * Code without a file that lies where such code lay before is nothing new: some make it
 * executable again each time they have written to it.
 */
static __always_inline void note_mapped(struct task_struct *p, const struct mapped *m)
{
	struct epoch *e = make_epoch(p);
	bool overlaps;

	if (!e)
		return;
	overlaps = m->start <= e->anon_end && m->end >= e->anon_start;
	if (!m->has_file && m->start >= e->anon_start && m->end <= e->anon_end && m->end)
		return;
	if (m->has_file && overlaps) {
		e->anon_start = e->anon_end = 0;
	} else if (!m->has_file && !overlaps) {
		e->anon_start = m->start;
		e->anon_end = m->end;
	} else if (!m->has_file) {
		e->anon_start = m->start < e->anon_start ? m->start : e->anon_start;
		e->anon_end = m->end > e->anon_end ? m->end : e->anon_end;
	}
	e->since_ns = bpf_ktime_get_ns();
}

/*
 * What a thread that holds its address space's lock for writing maps executable, by its system
 * call; false when it does not. Of an anonymous mapping the place is not known yet: nowhere.
 */
#if defined(__TARGET_ARCH_x86)
static __always_inline bool is_mapping_call(struct task_struct *p, struct mapped *out)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(p);
	bool is_32 = (regs->cs & 0xffff) == 0x23; /* __USER32_CS */
	__u64 nr = regs->orig_ax;

	if (!(regs->dx & PROT_EXEC))
		return false;
	if (nr == (is_32 ? 125 : 10)) { /* mprotect */
		out->start = is_32 ? regs->bx : regs->di;
		out->end = out->start + (is_32 ? regs->cx : regs->si);
		return true;
	}
	out->has_file = !((is_32 ? regs->si : regs->r10) & MAP_ANONYMOUS);
	return nr == (is_32 ? 192 : 9); /* mmap2, mmap */
}
#elif defined(__TARGET_ARCH_arm64)
static __always_inline bool is_mapping_call(struct task_struct *p, struct mapped *out)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(p);
	bool is_32 = regs->pstate & 0x10; /* PSR_MODE32_BIT */
	int nr = regs->syscallno;

	if (!(regs->regs[2] & PROT_EXEC))
		return false;
	if (nr == (is_32 ? 125 : 226)) { /* mprotect */
		out->start = regs->regs[0];
		out->end = out->start + regs->regs[1];
		return true;
	}
	out->has_file = !(regs->regs[3] & MAP_ANONYMOUS);
	return nr == (is_32 ? 192 : 222); /* mmap2, mmap */
}
#else
static __always_inline bool is_mapping_call(struct task_struct *p, struct mapped *out)
{
	return false;
}
#endif

/* The two hooks, of which one is loaded (record/maphook.h). */

SEC("fexit/perf_event_mmap")
int on_map(__u64 *ctx)
{
	struct vm_area_struct *vma = (struct vm_area_struct *)ctx[0];
	struct mapped m;

	if (!(vma->vm_flags & VM_EXEC))
		return 0;
	m.start = vma->vm_start;
	m.end = vma->vm_end;
	m.has_file = vma->vm_file != NULL;
	note_mapped(bpf_get_current_task_btf(), &m);
	return 0;
}

SEC("tp_btf/mmap_lock_released")
int on_unlock(__u64 *ctx)
{
	struct task_struct *self;
	struct mapped m = {};

	if (!(bool)ctx[1]) /* it was held for reading */
		return 0;
	self = bpf_get_current_task_btf();
	if ((__u64)self->mm == ctx[0] && is_mapping_call(self, &m))
		note_mapped(self, &m);
	return 0;
}

#endif
