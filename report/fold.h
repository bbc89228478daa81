/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.h - rows that would be shown alike become one, their times are summed in nanoseconds.
 */
#ifndef REP_FOLD_H
#define REP_FOLD_H

#include "party.h"
#include "pool.h"
#include "select.h"
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

/* What makes rows one group, next to who its target and its waker are. */
enum rep_merge {
	REP_MERGE_NAMES, /* kind, context, and the names in its stacks: items are text ids */
	REP_MERGE_LINES, /* what is one folded line */
	REP_MERGE_SITES, /* where it waits: see sites.h */
	REP_MERGE_FACTS	 /* also the state, and all that is known of each frame: items are
			    struct rep_frame in the pool of texts, or REP_ITEM_CUT */
};

/*
 * A stack as shown: 0 absent, REP_LOST | status << 16 | errno when it could not be recorded,
 * else the id of a sequence of items in the pool of texts, leaf first.
 */
#define REP_LOST	       0x80000000u
#define REP_LOST_STATUS(stack) ((stack) >> 16 & 0xffu)
#define REP_LOST_ERRNO(stack)  ((stack)&0xffffu)

/* Items that are no ids. */
#define REP_ITEM_DASH	   0xffffffffu /* "-" in a folded line */
#define REP_ITEM_DASH_DASH 0xfffffffeu /* "--" in a folded line */
#define REP_ITEM_CUT	   0xfffffffdu /* the root end of a stack that was cut, in facts */

struct rep_sums {
	uint64_t total_ns, wait_ns, runq_ns, count;
	uint64_t max_ns, max_end_ns;  /* the longest interval, and when it ended */
	struct rep_party interrupted; /* in the longest interval; comm 0: nobody */
	bool overflow;		      /* a sum stands at its maximum */
};

struct rep_group {
	/* What was merged by; all zero padding. */
	struct rep_party target;
	struct rep_party waker; /* a placeholder as comm, and no ids, where there is none */
	uint32_t kind, context, flags;
	uint32_t waker_is_named; /* also where it was but a bystander */
	uint32_t state;		 /* in facts only */
	uint32_t stacks[REP_STACK_CNT];
	uint32_t line; /* lines and sites: a sequence of text ids and items */
	/* What was summed. */
	uint32_t main_waker; /* sites only: the label of the waker with most of the value */
	struct rep_sums sums;
	uint64_t value; /* microseconds, rounded down, or intervals */
};

/* What rows are ordered by and shown with. */
enum rep_value { REP_VALUE_TOTAL, REP_VALUE_WAIT, REP_VALUE_RUNQ, REP_VALUE_COUNT };

struct rep_fold_opts {
	enum rep_merge merge;
	enum rep_by by;
	enum rep_value value;
	uint32_t shown;	 /* REP_SHOW_... */
	bool as_stored;	 /* nothing will be merged: also stacks that groups do not show */
	bool delimited;	 /* "-" between user and kernel stacks, in lines */
	uint64_t min_us; /* leave out what has less total time, merged by names */
	uint64_t top;	 /* keep that many groups; 0: all */
};

struct rep_fold {
	const struct rep_group *groups; /* ascending by value, ties by content */
	size_t group_cnt;
	struct rep_sums all; /* of everything selected */
	uint64_t all_value;
	size_t rest_cnt;      /* groups that top left out */
	struct rep_sums rest; /* of these */
	uint64_t rest_value;
	uint64_t lost_stacks; /* shown as a marker instead, in these groups */
	bool table_full;      /* one of them because the stack table was full */
	struct rep_table table;
	struct rep_budget *budget;
};

/* The errno a lost stack is shown with. */
unsigned rep_lost_errno(const struct owt_stack *stack);

/* Asks symbols for every stack of the rows selected. 0 or -ENOMEM. */
int rep_fold_want(const struct rep_trace *trace, const struct rep_select *select,
		  const struct rep_fold_opts *opts, struct rep_symbols *symbols) OWT_MUST_CHECK;

/* After rep_symbols_resolve(). The caller ends *out with rep_fold_done(). 0 or -ENOMEM. */
int rep_fold_make(const struct rep_trace *trace, const struct rep_select *select,
		  const struct rep_fold_opts *opts, const struct rep_symbols *symbols,
		  struct rep_pool *texts, struct rep_budget *budget,
		  struct rep_fold *out) OWT_MUST_CHECK;

/* True for a stack that has frames to show. */
bool rep_stack_has_frames(uint32_t stack);

void rep_sums_add(struct rep_sums *into, const struct rep_sums *from);
/* The value that rows are ordered by and shown with. */
uint64_t rep_sums_value(const struct rep_sums *sums, enum rep_value value);
/* The time of one interval on average, in microseconds; of a count, the total time. */
uint64_t rep_sums_mean_us(const struct rep_sums *sums, enum rep_value value);

void rep_fold_done(struct rep_fold *fold);

#endif
