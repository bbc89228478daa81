/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maphook.h - where the kernel lets a program note that a process' code has changed.
 */
#ifndef REC_MAPHOOK_H
#define REC_MAPHOOK_H

#include "base.h"

enum rec_maphook {
	REC_MAPHOOK_NONE,   /* it is told from the time of the mapping events, less exactly */
	REC_MAPHOOK_EXIT,   /* the return of perf_event_mmap() */
	REC_MAPHOOK_UNLOCK, /* the tracepoint mmap_lock_released */
};

/* The best there is, by trial. */
enum rec_maphook rec_maphook_find(void);

/* Its name for people; never null. */
const char *rec_maphook_name(enum rec_maphook hook);

#endif
