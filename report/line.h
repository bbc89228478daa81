/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - a group as one folded line: target;user root to leaf;kernel root to leaf;--;waker
 * kernel leaf to root;waker user leaf to root;waker.
 */
#ifndef REP_LINE_H
#define REP_LINE_H

#include "fold.h"

/* Frames of one stack, with room for a marker. */
#define LINE_FRAMES_MAX 1026

/* The line as a sequence of text ids and REP_ITEM_... in texts. 0 or -ENOMEM. */
int rep_line_put(const struct rep_group *group, uint32_t shown, bool delimited,
		 struct rep_pool *texts, uint32_t *out_line) OWT_MUST_CHECK;

#endif
