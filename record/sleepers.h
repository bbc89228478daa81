/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sleepers.h - runs the iterator that reads the memory of threads that are off CPU.
 */
#ifndef REC_SLEEPERS_H
#define REC_SLEEPERS_H

#include "base.h"
#include "err.h"

/*
 * Reads fd, a task iterator, to its end: in a child, for what it reads is other people's memory,
 * which may be slow to come or not come at all. 0, or a negative code; -ETIME when it was not
 * over after limit_ms, and the child was killed. The caller keeps fd.
 */
int rec_sleepers_read(int fd, int limit_ms, struct owt_err *err) OWT_MUST_CHECK;

#endif
