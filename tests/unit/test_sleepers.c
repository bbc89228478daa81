/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "sleepers.h"

static bool has_no_child(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

Test(sleepers, a_whole_pass_is_no_error)
{
	struct owt_err err = { 0 };
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	cr_assert_eq(rec_sleepers_read(fd, 10000, &err), 0, "%s", err.text);
	cr_expect(has_no_child());
	cr_expect_eq(close(fd), 0);
}

Test(sleepers, a_failure_in_the_child_is_told)
{
	struct owt_err err = { 0 };
	int fd = open("/", O_RDONLY | O_CLOEXEC);

	cr_expect_eq(rec_sleepers_read(fd, 10000, &err), -EISDIR);
	cr_expect(*err.text);
	close(fd);
}

Test(sleepers, who_keeps_the_reader_does_not_keep_us)
{
	uint64_t begin_ns = rec_monotonic_ns(), took_ns;
	int keeping[2];

	cr_assert_eq(pipe2(keeping, O_CLOEXEC), 0);
	cr_expect_eq(rec_sleepers_read(keeping[0], 100, NULL), -ETIME);
	took_ns = rec_monotonic_ns() - begin_ns;
	cr_expect_geq(took_ns, 100000000);
	cr_expect_lt(took_ns, 5000000000);
	cr_expect(has_no_child());
	close(keeping[0]);
	close(keeping[1]);
}
