/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * sleeper.bpf.h - the user stack of a thread that is off CPU, read out of its memory.
 *
 * Its user registers lie where it entered the kernel; from there frame pointers are followed as
 * the kernel does for a thread that is current, so that one place has one stack whoever takes it
 * (x86: arch/x86/events/core.c, perf_callchain_user(); arm64: kernel/perf_callchain.c). For a
 * sleepable program only: reading may fault pages in, as the thread itself would.
 *
 * Memory that a file backs is not read. Whoever serves the file could keep us waiting, and no
 * signal would end that.
 */
#ifndef OW_SLEEPER_BPF_H
#define OW_SLEEPER_BPF_H

#include "stack.bpf.h"
#include "task.bpf.h"

#define WINDOW_BYTES  4096ULL
#define FRAME_BYTES   16
#define X86_USER32_CS 0x23		 /* arch/x86/include/asm/segment.h, __USER32_CS */
#define ARM64_USER_LR ((1ULL << 48) - 1) /* without the bits of pointer authentication */
#define ARM64_MODE_32 0x10		 /* PSR_MODE32_BIT */

/* The address space was being changed: it can be tried again. */
#define WALK_WAS_BUSY OW_STACK_LOST(OW_LOST_WALK, EBUSY)

/* The piece of the thread's memory that was read last, and the stack that is being made of it. */
struct sleeper_walk {
	__u64 at; /* where window begins; all ones: nowhere */
	__u8 window[WINDOW_BYTES];
	struct ow_stack stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* one iterator runs at a time */
	__type(key, __u32);
	__type(value, struct sleeper_walk);
} sleeper_walks SEC(".maps");

struct user_regs {
	__u64 ip, sp, fp;
	bool is_32bit;
};

/* What is to be read, and whether it may be. */
struct piece {
	__u64 addr, bytes;
	bool is_plain;
};

/* Why a thread that was off CPU before has no user stack as long as none was read. */
static __always_inline __u64 not_walked(void)
{
	return OW_STACK_LOST(OW_LOST_WALK, knob_walks ? ETIME : EOPNOTSUPP);
}

static __always_inline void read_regs(struct task_struct *task, struct user_regs *out)
{
#if defined(__TARGET_ARCH_x86) || defined(__TARGET_ARCH_arm64)
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_x86)
	out->ip = regs->ip;
	out->sp = regs->sp;
	out->fp = regs->bp;
	out->is_32bit = (regs->cs & 0xffff) == X86_USER32_CS;
#else
	out->ip = regs->pc;
	out->sp = regs->sp;
	out->fp = regs->regs[29];
	out->is_32bit = regs->pstate & ARM64_MODE_32;
#endif
#endif
}

static long check_vma(struct task_struct *task, struct vm_area_struct *vma, struct piece *piece)
{
	(void)task;
	piece->is_plain = !vma->vm_file && vma->vm_end - piece->addr >= piece->bytes;
	return 0;
}

/* Makes the window begin at addr; 0 or a negative errno. */
static __always_inline long open_window(struct sleeper_walk *w, struct task_struct *task,
					__u64 addr, __u32 bytes)
{
	struct piece piece = { addr, bytes, false };
	long err;

	w->at = ~0ULL;
	err = bpf_find_vma(task, addr, check_vma, &piece, 0);
	if (err)
		return err == -EBUSY ? err : -EFAULT;
	if (!piece.is_plain)
		return -EFAULT;
	err = bpf_copy_from_user_task(w->window, bytes, (void *)addr, task, 0);
	if (!err)
		w->at = addr;
	return err;
}

/* Where the frame at fp lies in the window, which is moved at need; negative: not readable. */
static __always_inline long frame_in_window(struct sleeper_walk *w, struct task_struct *task,
					    __u64 fp)
{
	__u64 page = fp & ~(WINDOW_BYTES - 1), offset = fp - page;
	long err;

	if (offset > WINDOW_BYTES - FRAME_BYTES) {
		err = open_window(w, task, fp, FRAME_BYTES);
		w->at = ~0ULL; /* no more than this frame of it holds */
		return err;
	}
	if (w->at != page) {
		err = open_window(w, task, page, WINDOW_BYTES);
		if (err)
			return err;
	}
	return offset;
}

/* The frame that fp points to: the caller's fp, and where the caller goes on. */
static __always_inline bool read_frame(struct sleeper_walk *w, struct task_struct *task,
				       bool is_32bit, __u64 *fp, __u64 *out_ip)
{
	long offset = frame_in_window(w, task, *fp);
	__u64 low, high;

	if (offset < 0 || offset > (long)(WINDOW_BYTES - FRAME_BYTES))
		return false;
	low = *(__u64 *)(w->window + offset); /* rarely unaligned, and then no harm here */
	high = *(__u64 *)(w->window + offset + sizeof(low));
	*fp = is_32bit ? (__u32)low : low;
	*out_ip = is_32bit ? low >> 32 : high;
	return *out_ip;
}

/* As the kernel's own walkers have it. */
static __always_inline bool is_last_frame(__u64 fp, __u64 before)
{
#if defined(__TARGET_ARCH_arm64)
	return fp <= before || fp & 7;
#else
	(void)before;
	return !fp;
#endif
}

/* A walk under way. Loops are the kernel's own (5.17): unrolled ones took 0.4 s to verify. */
struct walk_step {
	struct sleeper_walk *w;
	struct task_struct *task;
	__u64 fp, before;
	bool is_32bit;
};

/* 1 at the end of the stack. */
static long walk_frame(__u64 i, struct walk_step *step)
{
	__u64 cnt = i + 1, ip;

	if (cnt >= OW_FRAMES_MAX || is_last_frame(step->fp, step->before))
		return 1;
	step->before = step->fp;
	if (!read_frame(step->w, step->task, step->is_32bit, &step->fp, &ip))
		return 1;
#if defined(__TARGET_ARCH_arm64)
	ip &= ARM64_USER_LR;
#endif
	step->w->stack.frames[cnt] = ip;
	step->w->stack.frame_cnt = cnt + 1;
	return 0;
}

struct hash_step {
	struct ow_stack *stack;
	__u64 hash;
};

static long hash_frame(__u64 i, struct hash_step *step)
{
	if (i >= OW_FRAMES_MAX)
		return 1;
	step->hash = mix(step->hash, step->stack->frames[i]);
	return 0;
}

/* As hash_stack() has it. */
static __always_inline __u64 hash_in_steps(struct ow_stack *stack)
{
	struct hash_step step = { stack, knob_seed ^ stack->frame_cnt };

	bpf_loop(stack->frame_cnt, hash_frame, &step, 0);
	return step.hash | OW_STACK_BIT;
}

/* Walks into w->stack. 0, or the name of the loss. */
static __always_inline __u64 walk_sleeper(struct sleeper_walk *w, struct task_struct *task)
{
	struct walk_step step = { .w = w, .task = task };
	struct user_regs regs = {};
	long err;

	read_regs(task, &regs);
	if (!regs.ip)
		return OW_STACK_LOST(OW_LOST_WALK, ENODATA); /* it never ran in user space */
#if defined(__TARGET_ARCH_arm64)
	if (regs.is_32bit)
		return OW_STACK_LOST(OW_LOST_WALK, EOPNOTSUPP);
#endif
	/* without its own stack there is nothing to go by */
	err = open_window(w, task, regs.sp & ~(WINDOW_BYTES - 1), WINDOW_BYTES);
	if (err)
		return OW_STACK_LOST(OW_LOST_WALK, (-err) & 0xffff);
	w->stack.tgid = task->tgid;
	w->stack.frames[0] = regs.ip + !is_in_syscall(task);
	w->stack.frame_cnt = 1;
	step.fp = regs.is_32bit ? (__u32)regs.fp : regs.fp;
	step.is_32bit = regs.is_32bit;
	if (knob_frames > 1)
		bpf_loop(knob_frames - 1, walk_frame, &step, 0);
	w->stack.truncated = w->stack.frame_cnt >= knob_frames;
	return 0;
}

/*
 * The user stack of a thread that is off CPU, or the name of the loss; OW_STACK_NONE when it did
 * not stay where s->before says it was, so that what was read may be anything.
 */
static __always_inline __u64 take_sleeper_user_stack(struct task_struct *task, struct task_state *s)
{
	const __u32 zero = 0;
	struct sleeper_walk *w = bpf_map_lookup_elem(&sleeper_walks, &zero);
	__u64 lost;

	if (!w || !is_still_before(task, s))
		return OW_STACK_NONE;
	lost = walk_sleeper(w, task);
	if (!is_still_before(task, s))
		return OW_STACK_NONE;
	return lost ? lost : intern_hashed(&w->stack, hash_in_steps(&w->stack));
}

#endif
