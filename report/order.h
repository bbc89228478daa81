/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.h - the order of groups: one that knows no ids, so that the same rows come out alike
 * however they were stored.
 */
#ifndef REP_ORDER_H
#define REP_ORDER_H

#include "fold.h"

/* Sets the value of each group and sorts: ascending by value, ties by content. */
void rep_order(struct rep_table *groups, enum rep_merge merge, enum rep_value value,
	       const struct rep_pool *texts);

#endif
