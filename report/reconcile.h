/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reconcile.h - do a thread's rows add up to what the kernel accounts? For each thread of a
 * recording made with --reconcile: wall time less CPU time, against the rows of all kinds and
 * what is known to be missing from them.
 */
#ifndef REP_RECONCILE_H
#define REP_RECONCILE_H

#include "mem.h"
#include "trace.h"

enum rep_verdict {
	REP_WITHIN,  /* the tolerance: 1 % of the time off CPU, one tick, steal and interrupts */
	REP_COVERED, /* only with the losses that the recording states, or one of unknown size */
	REP_OUTSIDE  /* not */
};

/* A sum that is off by so much: rows, what was left out and what is known to be lost hold more
 * or less than wall less CPU time. */
struct rep_difference {
	uint64_t ns;
	bool is_more;
};

/* Nanoseconds. on: CPU time between the switches, that is less what was charged early. */
struct rep_times {
	uint64_t wall, cpu, on;
	uint64_t rows, left, lost; /* off CPU: in rows, left out by filters, stated as lost */
};

struct rep_reconciled {
	uint32_t tid, tgid;
	uint32_t thread;   /* id, for the name */
	uint32_t lives;	   /* accounts that are summed here: threads that had this tid */
	uint64_t unseen_ends, unseen_begins;
	struct rep_times times;
	bool is_whole;	   /* one thread, from the recording's start to its end */
	bool has_loss;	   /* a loss of unknown size may explain a difference */
	struct rep_difference difference;
	enum rep_verdict verdict;
};

/* Threads of one tgid: sums, and which differs most. */
struct rep_reconciled_group {
	uint32_t tgid;
	uint32_t thread; /* id, for the name */
	size_t first, cnt; /* in threads */
	size_t worst;	   /* in threads */
	size_t covered, outside;
	struct rep_times times;
	struct rep_difference difference;
};

struct rep_reconcile {
	struct rep_reconciled *threads; /* ascending by tgid, tid */
	struct rep_reconciled_group *groups;
	size_t thread_cnt, thread_cap, group_cnt, group_cap;
	uint64_t tick_ns, steal_ns, interrupt_ns;
	size_t whole, within, covered, outside;
	uint64_t unseen_ends, unseen_begins;
	uint64_t accounts_lost;	   /* of threads that ended, or that the file had no room for */
	uint64_t median_ns;	   /* of the differences that no loss covers */
	size_t worst;		   /* in threads */
};

/* 0 or -ENOMEM. Ends with rep_reconcile_done(), which accepts what is zero. */
int rep_reconcile_make(const struct rep_trace *t, struct rep_budget *budget,
		       struct rep_reconcile *out) OWT_MUST_CHECK;
void rep_reconcile_done(struct rep_budget *budget, struct rep_reconcile *r);

/* Wall time less CPU time; 0 where CPU time is more. */
uint64_t rep_times_off_ns(const struct rep_times *times);

#endif
