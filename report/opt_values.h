/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opt_values.h - values of options that are neither plain numbers nor lists of ids.
 */
#ifndef REP_OPT_VALUES_H
#define REP_OPT_VALUES_H

#include "base.h"

/* The index of a word among words. 0, or -EINVAL and *out_index untouched. */
int rep_take_word(const char *word, size_t len, const char *const *words, size_t cnt,
		  unsigned *out_index) OWT_MUST_CHECK;

/* "2", "2.5", ".5", up to nine decimals. 0, -EINVAL or -ERANGE. */
int rep_parse_seconds(const char *text, uint64_t *out_ns) OWT_MUST_CHECK;

#endif
