/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.h - strict numbers from text: no sign, no blanks, nothing after the digits.
 */
#ifndef OWT_PARSE_H
#define OWT_PARSE_H

#include <stddef.h>
#include <stdint.h>
#include "base.h"

/* Decimal, min..max inclusive. 0, -EINVAL (no number) or -ERANGE; *out untouched on failure. */
int owt_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out) OWT_MUST_CHECK;

/*
 * Cursor form for parsers of buffers: takes the digits of the given base (10 or 16, no 0x)
 * at *pos, advances it behind them. 0, or -EINVAL (no digit, or more than 64 bits).
 */
int owt_take_u64(const char **pos, const char *end, unsigned base, uint64_t *out) OWT_MUST_CHECK;

#endif
