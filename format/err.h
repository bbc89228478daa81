/* SPDX-License-Identifier: Apache-2.0 */
/*
 * err.h - the one error record. Whoever finds a fault fills it, once; callers hand it up
 * unchanged; only the main files print it.
 *
 * Functions that can fail return 0 or a negative code: -errno, or one of -OWT_E....
 */
#ifndef OWT_ERR_H
#define OWT_ERR_H

#include <stdint.h>
#include "base.h"

enum owt_errno {
	OWT_E_FIRST = 5000,
	OWT_E_NOT_RECORDING,	/* the first bytes are not our magic */
	OWT_E_TEXT_MODE,	/* our magic, mangled by a text-mode transfer */
	OWT_E_VERSION,		/* a newer major, or an unknown incompatible feature */
	OWT_E_DAMAGED,		/* a checksum or the framing is wrong */
	OWT_E_TRUNCATED,	/* the file ends inside the header or before the first slice */
	OWT_E_INVALID,		/* checksums hold, content breaks the specification */
	OWT_E_LIMIT,		/* a limit of the format or a budget of the reader */
	OWT_E_UNAVAILABLE,	/* this host lacks something the recorder needs */
	OWT_E_USAGE,		/* what the user asked for makes no sense */
	OWT_E_END
};

/* Exit statuses of both programs. */
enum owt_exit {
	OWT_EXIT_OK = 0,
	OWT_EXIT_FAILED = 1,	/* nothing usable */
	OWT_EXIT_USAGE = 2,
	OWT_EXIT_PARTIAL = 3	/* output given; intervals, rows or slices are missing */
};

struct owt_err {
	int code;		/* what the failing function returned; 0 when nothing failed */
	char text[512];		/* one sentence: the thing, and the cure; no newline */
};

/*
 * Records the fault unless one is recorded already (the first finder knows best) and
 * returns code, so that "return owt_fail(err, -EINVAL, ...)" reads well. err may be null.
 */
int owt_fail(struct owt_err *err, int code, const char *fmt, ...) OWT_PRINTF(3, 4);

/* A short text for any code above or any errno; never null. */
const char *owt_strerror(int code);

#endif
