/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include "statshelper.h"

/* Whether the kernel lets it is the host's affair; that it always answers is ours. */
Test(statshelper, answers_each_request)
{
	struct rec_statshelper *h = NULL;

	cr_assert_eq(rec_statshelper_start(&h), 0);
	for (int i = 0; i < 3; i++) {
		int fd = rec_statshelper_open(h);

		cr_expect(fd > STDERR_FILENO || fd == -EPERM, "%d", fd);
		if (fd >= 0)
			close(fd);
	}
	rec_statshelper_free(h);
}

Test(statshelper, one_that_is_gone_fails)
{
	struct rec_statshelper *h = NULL;

	cr_assert_eq(rec_statshelper_start(&h), 0);
	kill(rec_statshelper_pid(h), SIGKILL);
	for (int i = 0; i < 2; i++)
		cr_expect_lt(rec_statshelper_open(h), 0);
	rec_statshelper_free(h);
}
