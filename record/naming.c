/* SPDX-License-Identifier: Apache-2.0 */
#include <poll.h>
#include "clock.h"
#include "naming.h"

bool rec_naming_is_over(struct rec_naming *n)
{
	struct elw_patience *p = &n->patience;
	struct pollfd wake = { .fd = p->wake_fd, .events = POLLIN };

	if (rec_monotonic_ns() < p->until_ns && poll(&wake, 1, 0) == 1 && p->is_over(p->ctx))
		p->until_ns = 0; /* heard once, it stays so */
	return rec_monotonic_ns() >= p->until_ns;
}

int rec_naming_leave_at_limit(struct rec_naming *n, int ret, struct owt_err *err)
{
	if (ret != -OWT_E_LIMIT)
		return ret;
	if (err)
		*err = (struct owt_err){ .code = 0 };
	n->left_cnt++;
	return 0;
}
