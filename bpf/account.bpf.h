/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * account.bpf.h - --reconcile: what each thread's rows must add up to.
 *
 * A thread is counted from start_ns to stop_ns; one that is made in between from its first
 * switch-in, one that ends until its last switch-out. At both ends its CPU time is taken as the
 * kernel accounts it. That is exact while a thread is off CPU: it is brought up to date at its
 * switch-out and stands still until the next one. So whoever comes first takes it, the first
 * switch behind start_ns (stop_ns) or an iterator that visits every thread. Of a thread that is
 * on CPU at that moment it may lag by a tick.
 *
 * The kernel charges a thread from the last reading of its CPU's clock on, not from the switch.
 * Mostly that is the same, but where an interrupt wakes a thread on an idle CPU, the way out
 * of idle is charged to it, too. How early that was is measured and stated beside the CPU time.
 */
#ifndef OW_ACCOUNT_BPF_H
#define OW_ACCOUNT_BPF_H

#include "count.bpf.h"
#include "filter.bpf.h"
#include <bpf/bpf_core_read.h>

const volatile bool knob_reconcile;

/* Written by the switches of its thread, and by iterators as far as no switch came before. */
struct account {
	__u64 begin_ns, begin_cpu_ns; /* begin_ns 0: nothing to count yet */
	__u64 end_ns, end_cpu_ns;     /* end_ns 0: has not ended */
	__u64 out_ns;		      /* off CPU since then, clipped to start_ns; 0: on CPU */
	__u64 left_ns, left_cnt;      /* off CPU, kept out by a filter */
	__u64 lost_ns, lost_cnt;      /* off CPU, the row table was full */
	__u64 mark_ns, mark_cpu_ns;   /* its latest switch, and its CPU time then */
	__u64 unseen_ns;	      /* off CPU between two switches to it or two away from it */
	__u64 taken;		      /* handed to the recorder */
	__s64 early_ns;		      /* CPU time charged for before switches to it, less ... */
	__u32 unseen_ends;	      /* went off CPU while off CPU: came back unseen */
	__u32 unseen_begins;	      /* came back while on CPU: went off unseen */
	__u32 tid;		      /* when it began */
	__u8 seen;		      /* a switch behind start_ns was seen */
	__u8 born;		      /* made since */
	__u8 was_off, was_on;	      /* when the iterator came by, before any switch */
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20); /* a page without --reconcile */
} account_ring SEC(".maps");

/*
 * How far CLOCK_MONOTONIC is ahead of the scheduler's clock: what was least when both were read
 * at a switch, in this or the previous 10 ms. The two drift by microseconds in a second.
 */
struct ahead {
	__u64 since_ns;
	__s64 now, before;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct ahead);
} ahead_of_clock SEC(".maps");

#define AHEAD_WINDOW_NS 10000000
#define EARLY_MAX_NS	1000000000 /* more is no reading of ours */

/* How far it is ahead of this CPU's clock of accounted time; 0: that cannot be told. */
static __always_inline __s64 ahead_of_task_clock(const struct task_struct *prev, __u64 now_ns)
{
	const __u32 zero = 0;
	const struct rq *rq;
	struct ahead *a;
	__s64 ahead;

	if (!knob_reconcile || !bpf_core_field_exists(prev->se.cfs_rq) ||
	    !bpf_core_field_exists(((struct cfs_rq *)0)->rq))
		return 0;
	rq = prev->se.cfs_rq->rq;
	a = bpf_map_lookup_elem(&ahead_of_clock, &zero);
	if (!a)
		return 0;
	ahead = now_ns - rq->clock;
	if (now_ns - a->since_ns > AHEAD_WINDOW_NS) {
		a->before = a->since_ns ? a->now : ahead;
		a->now = ahead;
		a->since_ns = now_ns;
	} else if (ahead < a->now) {
		a->now = ahead;
	}
	ahead = a->now < a->before ? a->now : a->before;
	return ahead + (rq->clock - rq->clock_task);
}

/* How long before the switch at now_ns the kernel changed whom it charges. */
static __always_inline __s64 early_ns(const struct task_struct *p, __s64 ahead, __u64 now_ns)
{
	__s64 early = now_ns - (p->se.exec_start + ahead);

	return ahead && early > -EARLY_MAX_NS && early < EARLY_MAX_NS ? early : 0;
}

static __always_inline __u64 less(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

static __always_inline __u64 cpu_time_of(const struct task_struct *p)
{
	return p->se.sum_exec_runtime;
}

/* Who was switched before the recording began is as old as all others. */
static __always_inline bool is_counted(struct account *a, __u64 now_ns)
{
	if (!knob_reconcile)
		return false;
	if (now_ns <= start_ns)
		a->born = 0;
	return now_ns > start_ns;
}

static __always_inline void fill_account(struct ow_account *out, const struct task_struct *p,
					 const struct account *a)
{
	out->tid = a->tid;
	out->tgid = p->tgid;
	out->begin_ns = a->begin_ns;
	out->end_ns = a->end_ns;
	out->cpu_ns = less(a->end_cpu_ns, a->begin_cpu_ns);
	out->early_ns = a->early_ns;
	out->left_ns = a->left_ns;
	out->left_cnt = a->left_cnt;
	out->lost_ns = a->lost_ns;
	out->lost_cnt = a->lost_cnt;
	out->unseen_ns = a->unseen_ns;
	out->unseen_ends = a->unseen_ends;
	out->unseen_begins = a->unseen_begins;
	bpf_probe_read_kernel(out->comm, sizeof(out->comm), p->comm);
}

static __always_inline void send_account(const struct task_struct *p, const struct account *a)
{
	struct ow_account *out = bpf_ringbuf_reserve(&account_ring, sizeof(*out), 0);

	if (!out) {
		count(OW_CNT_ACCOUNT_RING, 1, 0);
		return;
	}
	fill_account(out, p, a);
	bpf_ringbuf_submit(out, BPF_RB_NO_WAKEUP);
}

/* A switch was kept from us since the latest one: what of the time in between it was off CPU. */
static __always_inline __u64 account_unseen(struct account *a, const struct task_struct *p,
					    __u64 now_ns)
{
	__u64 off_ns = less(now_ns - a->mark_ns, less(cpu_time_of(p), a->mark_cpu_ns));

	a->unseen_ns += off_ns;
	return off_ns;
}

static __always_inline void mark(struct account *a, const struct task_struct *p, __u64 now_ns)
{
	a->seen = 1;
	a->mark_ns = now_ns;
	a->mark_cpu_ns = cpu_time_of(p);
}

static __always_inline void begin(struct account *a, const struct task_struct *p, __u64 begin_ns,
				  __u64 cpu_ns)
{
	a->begin_ns = a->mark_ns = begin_ns;
	a->begin_cpu_ns = a->mark_cpu_ns = cpu_ns;
	a->tid = p->pid;
}

/*
 * A thread that leads no group has called exec, and has the leader's tid now: its rows stand
 * under that one since its latest switch, a switch to it.
 */
static __always_inline void account_split(struct account *a, const struct task_struct *p)
{
	a->end_ns = a->mark_ns;
	a->end_cpu_ns = a->mark_cpu_ns;
	send_account(p, a);
	a->end_ns = a->end_cpu_ns = a->early_ns = 0;
	a->left_ns = a->left_cnt = a->lost_ns = a->lost_cnt = 0;
	a->unseen_ns = a->unseen_ends = a->unseen_begins = 0;
	begin(a, p, a->mark_ns, a->mark_cpu_ns);
}

/*
 * It goes off CPU; is_noted: it was off CPU before as far as we knew. How long it was off CPU
 * since it was noted, where its switch-in was not seen.
 */
static __always_inline __u64 account_out(struct account *a, const struct task_struct *p,
					 bool is_noted, __s64 ahead, __u64 now_ns)
{
	__u64 begin_ns = p->start_time > start_ns ? p->start_time : start_ns, lost_ns = 0;

	if (!is_counted(a, now_ns))
		return 0;
	a->early_ns -= early_ns(p, ahead, now_ns);
	if (!a->begin_ns)
		begin(a, p, begin_ns, less(cpu_time_of(p), now_ns - begin_ns));
	else if (a->tid != (__u32)p->pid)
		account_split(a, p);
	if (a->seen ? a->out_ns != 0 : is_noted || a->was_off) {
		a->unseen_ends++;
		lost_ns = account_unseen(a, p, now_ns);
	}
	mark(a, p, now_ns);
	a->out_ns = now_ns;
	return lost_ns;
}

/* It comes back. Since when it was off CPU, in the recording; 0: not known. */
static __always_inline __u64 account_in(struct account *a, const struct task_struct *p,
					__s64 ahead, __u64 now_ns)
{
	__u64 since_ns = a->out_ns;

	if (!is_counted(a, now_ns))
		return 0;
	a->early_ns += early_ns(p, ahead, now_ns);
	if (!a->seen && !a->was_on) {
		since_ns = a->born || p->start_time > start_ns ? 0 : start_ns;
		begin(a, p, since_ns ? since_ns : now_ns, cpu_time_of(p));
	} else if (!since_ns) {
		a->unseen_begins++;
		account_unseen(a, p, now_ns);
	}
	mark(a, p, now_ns);
	a->out_ns = 0;
	return since_ns;
}

static __always_inline void account_left(struct account *a, __u64 ns)
{
	if (!knob_reconcile)
		return;
	a->left_ns += ns;
	a->left_cnt++;
}

static __always_inline void account_lost(struct account *a, __u64 ns)
{
	if (!knob_reconcile)
		return;
	a->lost_ns += ns;
	a->lost_cnt++;
}

/* The first switch behind stop_ns; ran_ns: how long ago that was, if it ran since. */
static __always_inline void account_stop(struct account *a, const struct task_struct *p,
					 __u64 ran_ns)
{
	__u64 cpu_ns = cpu_time_of(p);

	if (!knob_reconcile || a->end_ns)
		return;
	a->end_cpu_ns = less(cpu_ns, ran_ns);
	a->end_ns = stop_ns;
}

/* It is gone for good, and its state with it. */
static __always_inline void account_exit(struct account *a, const struct task_struct *p,
					 __u64 now_ns)
{
	if (!knob_reconcile || !a->begin_ns || now_ns <= start_ns ||
	    __sync_lock_test_and_set(&a->taken, 1))
		return;
	if (!a->end_ns) {
		a->end_ns = now_ns;
		a->end_cpu_ns = cpu_time_of(p);
	}
	send_account(p, a);
}

#endif
