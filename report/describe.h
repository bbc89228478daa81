/* SPDX-License-Identifier: Apache-2.0 */
/*
 * describe.h - a row of the recording as the group it belongs to.
 */
#ifndef REP_DESCRIBE_H
#define REP_DESCRIBE_H

#include "fold.h"

/* What a description draws on; it adds to texts. */
struct rep_describe {
	const struct rep_trace *trace;
	const struct rep_fold_opts *opts;
	const struct rep_symbols *symbols;
	const struct rep_parties *parties;
	struct rep_pool *texts;
};

/* What a shown stack is: whose address space, and which stack. */
struct rep_stack_ref {
	enum rep_space space;
	struct rep_image image;
	uint32_t stack;
};

/* Only a blocked row has a waker; the rest of the file's fields say nothing then. */
bool rep_has_waker(const struct owt_row *row);

/* Needs only trace and opts of d. */
struct rep_stack_ref rep_stack_of(const struct rep_describe *d, const struct owt_row *row,
				  enum rep_stack which);

/* Fills all of *out but what is summed. 0 or -ENOMEM. */
int rep_describe(const struct rep_describe *d, enum rep_merge by, const struct owt_row *row,
		 struct rep_group *out) OWT_MUST_CHECK;

#endif
