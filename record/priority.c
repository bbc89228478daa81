/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include "priority.h"

#define NICE_FIRST -20

static int set_policy(int policy, int priority)
{
	struct sched_param param = { .sched_priority = priority };

	return sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &param) ? -errno : 0;
}

int rec_priority_raise(struct rec_priority *p, unsigned realtime, struct owt_err *err)
{
	int ret = 0;

	*p = (struct rec_priority){ .nice = getpriority(PRIO_PROCESS, 0) };
	if (realtime) {
		ret = set_policy(SCHED_FIFO, (int)realtime);
		p->is_raised = !ret;
	} else if (sched_getscheduler(0) == SCHED_OTHER && !set_policy(SCHED_OTHER, 0)) {
		p->is_raised = !setpriority(PRIO_PROCESS, 0, NICE_FIRST);
	}
	return ret ? owt_fail(err, ret, "--realtime=%u: %s: it needs root (CAP_SYS_NICE)", realtime,
			      owt_strerror(ret)) :
		     0;
}

void rec_priority_restore(struct rec_priority *p)
{
	if (!p->is_raised)
		return;
	p->is_raised = false;
	/* a failure leaves us as we are: no harm is done */
	(void)set_policy(SCHED_OTHER, 0);
	(void)setpriority(PRIO_PROCESS, 0, p->nice);
}
