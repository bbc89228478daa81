/* SPDX-License-Identifier: Apache-2.0 */
/*
 * priority.h - when the recorder runs on a host that has more to run than CPUs.
 *
 * It needs little time, but in time: what is not fetched before a table is full is lost. So
 * while it records it has the nice value -20, or a real-time priority where that was asked
 * for. Children inherit neither (SCHED_RESET_ON_FORK, sched(7)).
 */
#ifndef REC_PRIORITY_H
#define REC_PRIORITY_H

#include "base.h"
#include "err.h"

struct rec_priority {
	int nice;
	bool is_raised;
};

#define REC_REALTIME_MAX 99

/*
 * realtime is a priority of SCHED_FIFO, 1 to REC_REALTIME_MAX; 0 only changes the nice value,
 * and that it may not is no error. Whoever started us with another policy is left alone.
 */
int rec_priority_raise(struct rec_priority *p, unsigned realtime,
		       struct owt_err *err) OWT_MUST_CHECK;

/* Back to how it was. */
void rec_priority_restore(struct rec_priority *p);

#endif
