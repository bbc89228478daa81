/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * stack.bpf.h - takes a stack, names it by a hash, sends its body once.
 *
 * take_kernel_stack(), take_user_stack(), take_sleeper_stack() and take_sleeper_user_stack()
 * (sleeper.bpf.h) are the only places that walk; another walker replaces what they call there
 * and nothing else.
 *
 * The hash is 64 bits, seeded per recording. A word enters through an addition of a secret
 * and two multiplications with shifts between them, so that no difference of two words has
 * an effect that is known without the secret.
 */
#ifndef OW_STACK_BPF_H
#define OW_STACK_BPF_H

#include "count.bpf.h"
#include "filter.bpf.h"
#include <asm-generic/errno.h>
#include <bpf/bpf_core_read.h>

/* One buffer for each walk that may be under way on a CPU at once. */
enum stack_slot { SLOT_SWITCH, SLOT_WAKING, SLOT_ITER, SLOT_CNT };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SLOT_CNT);
	__type(key, __u32);
	__type(value, struct ow_stack);
} stack_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 131072); /* --stack-storage-size, --max-memory */
	__type(key, __u64);
	__type(value, __u8);
} stacks_sent SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20); /* --max-memory */
} stack_ring SEC(".maps");

/*
 * 1 when addr lies in one of the ranges, else 0. Without a branch: the verifier walks each way
 * of every branch in the loop below, and with branches here that took it 0.3 s.
 */
static __always_inline __u64 in_ranges(const volatile struct ow_range *ranges, __u64 addr)
{
	__u64 inside = 0;

	for (int i = 0; i < OW_RANGES_MAX; i++) {
		__u64 at = addr - ranges[i].start, len = ranges[i].end - ranges[i].start;

		inside |= ~at & (at - len); /* top bit: 0 <= at < len */
	}
	return inside >> 63;
}

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
	word += knob_salt;
	word ^= word >> 32;
	word *= 0x9fb21c651e98df25ULL;
	word ^= word >> 29;
	hash = (hash ^ word) * 0xd6e8feb86659fd93ULL;
	return hash ^ (hash >> 32);
}

/*
 * In which context the stack was taken. Leaf first: a softirq frame before any interrupt
 * frame is a softirq; an interrupt frame alone is a hard interrupt. What lies rootward of
 * the interrupt's entry belongs to whoever was interrupted: the stack is cut there.
 * x86: arch/x86/include/asm/idtentry.h, kernel/softirq.c.
 */
static __always_inline __u32 cut_at_interrupt(struct ow_stack *stack)
{
	__u64 softirq = 0;

	for (__u32 i = 0; i < OW_FRAMES_MAX && i < stack->frame_cnt; i++) {
		__u64 addr = stack->frames[i];

		softirq |= in_ranges(knob_softirq, addr);
		if (in_ranges(knob_irq, addr)) {
			stack->frame_cnt = i + 1;
			stack->truncated = 0;
			return softirq ? OW_CTX_SOFTIRQ : OW_CTX_HARDIRQ;
		}
	}
	return softirq ? OW_CTX_SOFTIRQ : OW_CTX_TASK;
}

/* The context alone, where whoever was interrupted shall be named: the stack stays whole. */
static __always_inline __u32 context_of(struct ow_stack *stack)
{
	__u16 frame_cnt = stack->frame_cnt, truncated = stack->truncated;
	__u32 context = cut_at_interrupt(stack);

	if (knob_raw_wakers) {
		stack->frame_cnt = frame_cnt;
		stack->truncated = truncated;
	}
	return context;
}

static __always_inline __u64 hash_stack(const struct ow_stack *stack)
{
	__u64 hash = knob_seed ^ stack->frame_cnt;

	for (__u32 i = 0; i < OW_FRAMES_MAX && i < stack->frame_cnt; i++)
		hash = mix(hash, stack->frames[i]);
	return hash | OW_STACK_BIT;
}

/* The stack's name; its body is on its way when this returns, or a counter says why not. */
static __always_inline __u64 intern_hashed(struct ow_stack *stack, __u64 hash)
{
	const __u8 sent = 1;
	__u32 bytes;
	long err;

	if (bpf_map_lookup_elem(&stacks_sent, &hash))
		return hash;
	err = bpf_map_update_elem(&stacks_sent, &hash, &sent, BPF_NOEXIST);
	if (err == -EEXIST)
		return hash;
	if (err == -E2BIG) {
		count(OW_CNT_STACK_TABLE, 1, 0);
		return OW_STACK_LOST(OW_LOST_TABLE, ENOMEM);
	}
	if (err) { /* a lock that was busy: tried again next time */
		count(OW_CNT_STACK_RING, 1, 0);
		return hash;
	}
	stack->hash = hash;
	bytes = __builtin_offsetof(struct ow_stack, frames) + stack->frame_cnt * sizeof(__u64);
	if (bytes > sizeof(*stack))
		return hash;
	if (bpf_ringbuf_output(&stack_ring, stack, bytes, BPF_RB_NO_WAKEUP)) {
		bpf_map_delete_elem(&stacks_sent, &hash); /* tried again next time */
		count(OW_CNT_STACK_RING, 1, 0);
	}
	return hash;
}

static __always_inline __u64 intern_stack(struct ow_stack *stack)
{
	return intern_hashed(stack, hash_stack(stack));
}

static __always_inline struct ow_stack *stack_buffer(__u32 slot)
{
	return bpf_map_lookup_elem(&stack_scratch, &slot);
}

/* What a helper returned, in bytes, as frames; 0 or the name of the loss. */
static __always_inline __u64 set_frames(struct ow_stack *stack, __u32 tgid, long bytes)
{
	if (bytes <= 0) {
		count(OW_CNT_STACK_WALK, 1, 0);
		return OW_STACK_LOST(OW_LOST_WALK, (-bytes) & 0xffff);
	}
	stack->tgid = tgid;
	stack->frame_cnt = (__u64)bytes / sizeof(__u64);
	stack->truncated = stack->frame_cnt >= knob_frames;
	return 0;
}

/*
 * The current kernel stack; out_context says in which context it runs (waker's stacks). That
 * is read off the stack even where only user stacks are wanted.
 */
static __always_inline __u64 take_kernel_stack(void *ctx, __u32 slot, __u32 *out_context)
{
	struct ow_stack *stack = stack_buffer(slot);
	__u64 lost;

	if (!stack || (knob_stacks == OW_STACKS_USER && !out_context))
		return OW_STACK_NONE;
	lost = set_frames(stack, 0, bpf_get_stack(ctx, stack->frames, sizeof(stack->frames), 0));
	if (lost)
		return lost;
	if (out_context)
		*out_context = context_of(stack);
	return knob_stacks == OW_STACKS_USER ? OW_STACK_NONE : intern_stack(stack);
}

/*
 * Whether the task entered the kernel by a system call: then its user address is the one
 * behind the instruction, like the return addresses below it.
 * x86: arch/x86/entry/entry_64.S (ORIG_RAX); arm64: arch/arm64/include/asm/ptrace.h.
 */
static __always_inline bool is_in_syscall(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86) || defined(__TARGET_ARCH_arm64)
	struct pt_regs *regs;

	/* bpf_task_pt_regs: since 5.15 */
	if (!bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return true;
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_x86)
	return (long)regs->orig_ax >= 0;
#else
	return regs->syscallno >= 0;
#endif
#else
	return true;
#endif
}

static __always_inline bool has_user_stack(const struct task_struct *task)
{
	return knob_stacks != OW_STACKS_KERNEL && task->mm && !(task->flags & PF_KTHREAD);
}

/* The user stack of the current task, if it is a user thread. */
static __always_inline __u64 take_user_stack(void *ctx, __u32 slot, struct task_struct *task)
{
	struct ow_stack *stack = stack_buffer(slot);
	__u64 lost;

	if (!stack || !has_user_stack(task))
		return OW_STACK_NONE;
	lost = set_frames(
		stack, task->tgid,
		bpf_get_stack(ctx, stack->frames, sizeof(stack->frames), BPF_F_USER_STACK));
	if (lost)
		return lost;
	if (!is_in_syscall(task))
		stack->frames[0]++; /* all addresses of a stack are one past what they mean */
	return intern_stack(stack);
}

/* The kernel stack of a task that is off CPU. */
static __always_inline __u64 take_sleeper_stack(struct task_struct *task)
{
	struct ow_stack *stack = stack_buffer(SLOT_ITER);
	__u64 lost;

	if (!stack || knob_stacks == OW_STACKS_USER)
		return OW_STACK_NONE;
	lost = set_frames(stack, 0,
			  bpf_get_task_stack(task, stack->frames, sizeof(stack->frames), 0));
	return lost ? lost : intern_stack(stack);
}

#endif
