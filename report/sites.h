/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sites.h - wait sites: a target, the state it waits in, and the innermost function of its
 * own on its stack. That is the leafmost one of the program's file, or of code made at run
 * time; else of a file that is not the C library; else the leaf. Without a user stack it is the
 * kernel's function below the scheduler's.
 */
#ifndef REP_SITES_H
#define REP_SITES_H

#include "describe.h"

/* The parts of a group's line. */
enum rep_site_item {
	REP_SITE_TARGET, /* label */
	REP_SITE_STATE,	 /* letter, and [open] for what did not end */
	REP_SITE_FUNCTION,
	REP_SITE_CNT,
	REP_SITE_WAKER = REP_SITE_CNT, /* label; before rep_sites_collapse() */
	REP_SITE_ROW_CNT
};

/* The site and the waker of a row as a sequence of text ids. 0 or -ENOMEM. */
int rep_site_put(const struct rep_describe *d, const struct owt_row *row,
		 const struct rep_group *group, uint32_t *out_line) OWT_MUST_CHECK;

/*
 * Makes one group of those that differ in their waker only. They must be in ascending order:
 * the last one is the main waker. 0 or -ENOMEM, then *groups is as it was.
 */
int rep_sites_collapse(struct rep_table *groups, struct rep_pool *texts,
		       struct rep_budget *budget) OWT_MUST_CHECK;

#endif
