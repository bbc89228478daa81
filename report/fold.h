/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.h - rows that would be shown alike become one, their times are summed in nanoseconds.
 */
#ifndef REP_FOLD_H
#define REP_FOLD_H

#include "pool.h"
#include "symbolize.h"
#include "trace.h"

enum rep_stack {
	REP_WAKER_USER,
	REP_WAKER_KERNEL,
	REP_TARGET_KERNEL,
	REP_TARGET_USER,
	REP_STACK_CNT
};

/* Which stacks are shown, as set bits of enum rep_stack. */
#define REP_SHOW_USER	((1u << REP_WAKER_USER) | (1u << REP_TARGET_USER))
#define REP_SHOW_KERNEL ((1u << REP_WAKER_KERNEL) | (1u << REP_TARGET_KERNEL))

/*
 * A stack as shown: 0 absent, REP_LOST | status << 16 | errno when it could not be recorded,
 * else the id of a sequence of text ids in the pool of texts, leaf first.
 */
#define REP_LOST	       0x80000000u
#define REP_LOST_STATUS(stack) ((stack) >> 16 & 0xffu)
#define REP_LOST_ERRNO(stack)  ((stack)&0xffffu)

/* Items of a folded line that are no names. */
#define REP_ITEM_DASH	   0xffffffffu /* "-" */
#define REP_ITEM_DASH_DASH 0xfffffffeu /* "--" */

struct rep_party {
	uint32_t tid, tgid;
	uint32_t comm; /* text id */
};

struct rep_group {
	/* What was merged by; all zero padding. */
	struct rep_party target;
	struct rep_party waker; /* tid 0 and a placeholder as comm where there is none */
	uint32_t kind, context, flags;
	uint32_t stacks[REP_STACK_CNT];
	uint32_t line; /* sequence of text ids and items; 0 when not by line */
	/* Sums. */
	uint64_t total_ns, wait_ns, runq_ns, count;
	uint64_t value; /* microseconds, rounded down, or intervals */
};

/* What rows are ordered by and shown with. */
enum rep_value { REP_VALUE_TOTAL, REP_VALUE_WAIT, REP_VALUE_RUNQ, REP_VALUE_COUNT };

struct rep_fold_opts {
	uint32_t kinds; /* set bits of enum owt_kind */
	uint32_t shown; /* REP_SHOW_... */
	enum rep_value value;
	bool as_stored; /* every kind, and stacks that are not shown in groups */
	bool by_line;	/* merge what is one line in folded output */
	bool delimited; /* "-" between user and kernel stacks, in lines */
};

struct rep_fold {
	const struct rep_group *groups; /* ascending by value, ties by content */
	size_t group_cnt;
	uint64_t lost_stacks; /* shown as a marker instead, in these groups */
	bool table_full;      /* one of them because the stack table was full */
	struct rep_table table;
	struct rep_budget *budget;
};

/* The errno a lost stack is shown with. */
unsigned rep_lost_errno(const struct owt_stack *stack);

/* Asks symbols for every stack of the rows that opts selects. 0 or -ENOMEM. */
int rep_fold_want(const struct rep_trace *trace, const struct rep_fold_opts *opts,
		  struct rep_symbols *symbols) OWT_MUST_CHECK;

/* After rep_symbols_resolve(). The caller ends *out with rep_fold_done(). 0 or -ENOMEM. */
int rep_fold_make(const struct rep_trace *trace, const struct rep_fold_opts *opts,
		  const struct rep_symbols *symbols, struct rep_pool *texts,
		  struct rep_budget *budget, struct rep_fold *out) OWT_MUST_CHECK;

/* True for a stack that has frames to show. */
bool rep_stack_has_frames(uint32_t stack);

void rep_fold_done(struct rep_fold *fold);

#endif
