/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * reconcile.bpf.h - the iterators of --reconcile; see account.bpf.h.
 */
#ifndef OW_RECONCILE_BPF_H
#define OW_RECONCILE_BPF_H

#include "task.bpf.h"

static __always_inline struct account *account_of(struct task_struct *task)
{
	struct task_state *s;

	if (!task || !is_candidate(task))
		return NULL;
	s = state_of(task);
	return s ? &s->account : NULL;
}

/* Every thread once, just behind start_ns. What it reads holds if no switch was seen before. */
SEC("iter/task")
int begin_account(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct account *a = account_of(task);
	bool on_cpu;
	__u64 cpu_ns;

	if (!a || a->born || read_state(task) & TASK_DEAD)
		return 0;
	on_cpu = is_on_cpu(task);
	cpu_ns = cpu_time_of(task);
	if (__sync_fetch_and_add(&a->begin_ns, 0) || a->seen)
		return 0;
	a->was_on = on_cpu;
	a->was_off = !on_cpu;
	begin(a, task, start_ns, cpu_ns);
	return 0;
}

/*
 * A switch may have been kept from us after the last one that was seen: its CPU time has moved
 * since it went off CPU, or it is off CPU and has never gone.
 */
static __always_inline void end_unseen(struct account *a, struct task_struct *task, bool on_cpu)
{
	__u64 cpu_ns = cpu_time_of(task);

	/* read after the CPU time: a switch behind stop_ns sets it before that goes on */
	if (__sync_fetch_and_add(&a->end_ns, 0) || !a->seen)
		return;
	if (a->out_ns && cpu_ns > a->mark_cpu_ns) {
		a->unseen_ends++;
		count(OW_CNT_UNSEEN_SWITCH, 1, 0);
	} else if (!a->out_ns && !on_cpu) {
		a->unseen_begins++;
		count(OW_CNT_UNSEEN_SWITCH, 1, account_unseen(a, task, stop_ns));
	}
}

/* Every thread once, when open_task is through: what was counted goes out through the file. */
SEC("iter/task")
int end_account(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct account *a = account_of(task);
	struct ow_account out = {};
	bool on_cpu = task && is_on_cpu(task);

	if (!a || !a->begin_ns || __sync_lock_test_and_set(&a->taken, 1))
		return 0;
	end_unseen(a, task, on_cpu);
	account_stop(a, task, 0);
	fill_account(&out, task, a);
	if (bpf_seq_write(ctx->meta->seq, &out, sizeof(out)))
		a->taken = 0; /* the buffer is full: we are called for it again */
	return 0;
}

#endif
