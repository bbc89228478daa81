// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * offwake.bpf.c - the hooks: waking, switch out, switch in, the making of a task; two task
 * iterators, one for what was off CPU before the recording, one for what still is after.
 *
 * At sched_switch current is prev, on every kernel: prev's own stacks are taken there.
 * sched_waking runs in the context of whoever wakes, before the sleeper's state changes
 * (include/trace/events/sched.h); the waking that counts is the last since the sleeper's last
 * switch-in, for it may come before the switch-out.
 */
#include "kernel.bpf.h"
#include "wire.h"
#include "count.bpf.h"
#include "filter.bpf.h"
#include "task.bpf.h"
#include "epoch.bpf.h"
#include "choose.bpf.h"
#include "stack.bpf.h"
#include "sleeper.bpf.h"
#include "rows.bpf.h"
#include "reconcile.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

static __always_inline bool is_stopped(__u64 now_ns)
{
	return now_ns >= stop_ns;
}

/* Until the first switch of a thread is seen, the iterator's note holds. */
static __always_inline struct absence *absence_of(struct task_state *s)
{
	return s->switched ? &s->off : &s->before;
}

SEC("tp_btf/sched_waking")
int on_waking(__u64 *ctx)
{
	struct task_struct *target = (struct task_struct *)ctx[0];
	struct task_struct *self = bpf_get_current_task_btf();
	__u64 now_ns = bpf_ktime_get_ns();
	struct task_state *s;
	struct waking *waking;

	if (is_stopped(now_ns))
		return 0;
	s = target_state(target);
	if (!s || !needs_waker(target, absence_of(s)))
		return 0;
	waking = &s->waking;
	waking->context = OW_CTX_TASK;
	waking->kstack = take_kernel_stack(ctx, SLOT_WAKING, &waking->context);
	waking->ustack = OW_STACK_NONE;
	__builtin_memset(&waking->waker, 0, sizeof(waking->waker));
	__builtin_memset(&waking->interrupted, 0, sizeof(waking->interrupted));
	if (waking->context == OW_CTX_TASK && !self->pid)
		waking->context = OW_CTX_IDLE;
	if (waking->context == OW_CTX_TASK || knob_raw_wakers) {
		read_who(&waking->waker, self);
		clean_comm(waking->waker.comm);
		waking->waker.image_ns = epoch_of(self);
		waking->ustack = take_user_stack(ctx, SLOT_WAKING, self);
	} else if (waking->context != OW_CTX_IDLE) {
		read_who(&waking->interrupted, self);
	}
	waking->at_ns = now_ns;
	return 0;
}

static __always_inline void switch_out(void *ctx, struct task_struct *prev, bool preempt,
				       __u32 prev_state, __s64 ahead, __u64 now_ns)
{
	struct task_state *s;
	bool blocked, is_noted;
	__u64 lost_ns;

	s = target_state(prev);
	if (!s)
		return;
	/* Off CPU already: its switch-in was kept from us, and with it the end of an interval. */
	is_noted = absence_of(s)->off_ns;
	lost_ns = account_out(&s->account, prev, is_noted, ahead, now_ns);
	if (is_noted && now_ns > start_ns)
		count(OW_CNT_UNSEEN_SWITCH, 1, lost_ns);
	s->switched = 1;
	s->is_on = 0;
	s->off.left_out = 0;
	s->off.off_ns = 0;
	if (prev_state & TASK_DEAD) {
		account_exit(&s->account, prev, now_ns);
		forget_fallback(prev);
		return;
	}
	/* 5.18 to 6.15 may report a stale state when a signal was pending: read it again. */
	blocked = !preempt && prev_state && read_state(prev) != TASK_RUNNING;
	s->off.kind = blocked ? OW_BLOCKED : OW_PREEMPTED;
	s->off.state = blocked ? prev_state : TASK_RUNNING;
	if (!choose(prev, &s->off)) {
		s->off.left_out = 1;
		return;
	}
	s->off.kstack = take_kernel_stack(ctx, SLOT_SWITCH, NULL);
	s->off.ustack = take_user_stack(ctx, SLOT_SWITCH, prev);
	s->off.image_ns = epoch_of(prev);
	s->off.off_ns = now_ns;
}

static __always_inline void switch_in(struct task_struct *next, __s64 ahead, __u64 now_ns)
{
	struct ow_row_key key = {};
	struct ow_row_value value = {};
	struct task_state *s;
	const struct absence *off;
	__u64 since_ns;

	if (!is_candidate(next))
		return;
	s = state_of(next);
	if (!s)
		return;
	off = absence_of(s);
	since_ns = account_in(&s->account, next, ahead, now_ns);
	if (off->off_ns && now_ns > start_ns &&
	    fill_row(&key, &value, s, off, off->off_ns, now_ns)) {
		key.target.tid = next->pid;
		key.target.tgid = next->tgid;
		fill_waker(&key, &value, &s->waking);
		add_row(&key, &value, &s->account);
	} else if (since_ns && off->left_out) {
		account_left(&s->account, now_ns - since_ns);
	}
	/* On CPU already: its switch-out was kept from us, and with it the whole interval. */
	if (s->is_on && now_ns > start_ns)
		count(OW_CNT_UNSEEN_SWITCH, 1, 0);
	s->switched = 1;
	s->is_on = 1;
	s->off.left_out = 0;
	s->off.off_ns = 0;
	s->waking.at_ns = 0;
}

/*
 * After the recording has stopped: its interval is open at stop_ns. A thread may come here on
 * its way back to a CPU and from the last iterator; whoever takes off_ns has it.
 */
static __always_inline void end_open(struct task_struct *task)
{
	struct ow_row_key key = {};
	struct ow_row_value value = {};
	struct task_state *s;
	struct absence *off;
	__u64 begin_ns;

	if (!is_candidate(task))
		return;
	s = state_of(task);
	if (!s)
		return;
	off = absence_of(s);
	if (knob_reconcile && __sync_lock_test_and_set(&off->left_out, 0))
		account_left(&s->account,
			     less(stop_ns, s->account.seen ? s->account.out_ns : start_ns));
	begin_ns = __sync_lock_test_and_set(&off->off_ns, 0);
	if (!begin_ns || !fill_row(&key, &value, s, off, begin_ns, stop_ns))
		return;
	key.target.tid = task->pid;
	key.target.tgid = task->tgid;
	key.kind = OW_OPEN;
	if (add_row(&key, &value, &s->account))
		count(OW_CNT_OPEN, 1, value.max_ns);
}

/*
 * After the recording has stopped, of a thread that runs: if it is off CPU as far as we know, its
 * switch-in was kept from us, and nothing says how long it was off CPU. With accounts that is
 * found by its CPU time, and counted there.
 */
static __always_inline void end_running(struct task_struct *task)
{
	struct task_state *s;
	struct absence *off;

	if (!is_candidate(task))
		return;
	s = state_of(task);
	if (!s)
		return;
	off = absence_of(s);
	off->left_out = 0;
	if (__sync_lock_test_and_set(&off->off_ns, 0) && !knob_reconcile)
		count(OW_CNT_UNSEEN_SWITCH, 1, 0);
}

/* The first switch behind the recording's end has its threads' CPU time at that end. */
static __always_inline void stop_accounts(struct task_struct *prev, struct task_struct *next,
					  __u32 prev_state, __u64 now_ns)
{
	struct account *out = knob_reconcile ? account_of(prev) : NULL;
	struct account *in = knob_reconcile ? account_of(next) : NULL;

	if (out) {
		account_stop(out, prev, now_ns - stop_ns);
		if (prev_state & TASK_DEAD)
			account_exit(out, prev, now_ns);
	}
	if (in)
		account_stop(in, next, 0);
}

SEC("tp_btf/sched_switch")
int on_switch(__u64 *ctx)
{
	bool preempt = (bool)ctx[0];
	struct task_struct *prev = (struct task_struct *)ctx[1];
	struct task_struct *next = (struct task_struct *)ctx[2];
	__u32 prev_state = knob_state_arg ? (__u32)ctx[3] : read_state(prev);
	__u64 now_ns = bpf_ktime_get_ns();
	__s64 ahead;

	if (is_stopped(now_ns)) {
		stop_accounts(prev, next, prev_state, now_ns);
		end_running(prev);
		end_open(next);
		return 0;
	}
	ahead = ahead_of_task_clock(prev, now_ns);
	switch_out(ctx, prev, preempt, prev_state, ahead, now_ns);
	switch_in(next, ahead, now_ns);
	return 0;
}

/* Before the recording the iterator may not have come to a parent yet. */
static __always_inline bool is_unseeded_descendant(const struct task_struct *parent)
{
	return start_ns == ~0ULL && descends_from_asked(parent);
}

/*
 * In copy_process(), before the new task runs for the first time; unlike sched_process_fork it
 * comes for io_uring's workers, too.
 */
SEC("tp_btf/task_newtask")
int on_new_task(__u64 *ctx)
{
	struct task_struct *child = (struct task_struct *)ctx[0];
	bool is_thread = ctx[1] & CLONE_THREAD;
	struct task_struct *self = bpf_get_current_task_btf();
	struct task_state *parent, *s;

	if (!is_thread)
		begin_epoch(child);
	if (!is_candidate(child))
		return 0;
	parent = state_of(self);
	if (knob_follow && (!parent || !parent->followed) && !is_unseeded_descendant(self))
		return 0;
	s = make_state(child);
	if (!s)
		return 0;
	s->followed = 1;
	s->account.born = 1;
	return 0;
}

/* The image is a new one: addresses of stacks from before mean something else. */
SEC("tp_btf/sched_process_exec")
int on_exec(__u64 *ctx)
{
	begin_epoch((struct task_struct *)ctx[0]);
	return 0;
}

/*
 * Every thread once, just after attaching: makes its state, and notes who is off CPU now. What
 * it notes holds only for threads whose first switch, seen by on_switch, is a switch-in.
 */
SEC("iter/task")
int seed_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *s;
	__u32 state;

	if (!self_tgid)
		self_tgid = bpf_get_current_pid_tgid() >> 32;
	if (!task || !is_candidate(task))
		return 0;
	if (knob_follow && !is_recorder(task) && !descends_from_asked(task))
		return 0;
	s = make_state(task);
	if (!s)
		return 0;
	s->followed = 1;
	state = read_state(task);
	s->account.born = knob_filter == OW_FILTER_COMMAND || state & TASK_NEW;
	if (knob_filter == OW_FILTER_COMMAND || s->switched || is_on_cpu(task))
		return 0; /* the command only waits for us to let it go */
	if (state & (TASK_DEAD | TASK_NEW))
		return 0; /* a zombie, or not yet born */
	s->before.kind = state ? OW_BLOCKED : OW_PREEMPTED;
	s->before.state = state;
	if (!choose(task, &s->before)) {
		s->before.left_out = 1;
		return 0;
	}
	s->before.kstack = take_sleeper_stack(task);
	s->before.image_ns = epoch_of(task);
	s->before.ustack = has_user_stack(task) ? not_walked() : OW_STACK_NONE;
	s->switches = switches_of(task);
	s->before.off_ns = bpf_ktime_get_ns();
	return 0;
}

/*
 * Every thread once, after seed_task: the user stacks of those that are still off CPU, which only
 * a sleepable program may read. ustack is set last and at once: on_switch finds it or the reason
 * why there is none.
 */
SEC("iter.s/task")
int walk_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct task_state *s;
	__u64 name;

	if (!task || !is_candidate(task) || bpf_ktime_get_ns() >= walks_end_ns)
		return 0;
	s = state_of(task);
	if (!s || (s->before.ustack != not_walked() && s->before.ustack != WALK_WAS_BUSY))
		return 0;
	name = take_sleeper_user_stack(task, s);
	if (!name)
		return 0;
	*(volatile __u64 *)&s->before.ustack = name;
	walked_cnt += name & OW_STACK_BIT ? 1 : 0;
	busy_cnt += name == WALK_WAS_BUSY;
	return 0;
}

/* Every thread once, after stop_ns is set and has come through: who is still off CPU. */
SEC("iter/task")
int open_task(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task && is_on_cpu(task))
		end_running(task);
	else if (task)
		end_open(task);
	return 0;
}
