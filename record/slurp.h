/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slurp.h - whole small files of /proc and /sys, which have no size to ask for.
 */
#ifndef REC_SLURP_H
#define REC_SLURP_H

#include "base.h"

/*
 * Reads path, relative to dirfd (AT_FDCWD for the usual meaning), to its end or max_bytes,
 * whichever comes first. *out_bytes is the caller's to free and has a terminator behind its
 * *out_len bytes. 0 or -errno (-EFBIG when max_bytes did not hold it all).
 */
int rec_slurp(int dirfd, const char *path, size_t max_bytes, char **out_bytes,
	      size_t *out_len) OWT_MUST_CHECK;

#endif
