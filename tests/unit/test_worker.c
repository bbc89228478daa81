/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include "elfworker.h"

static int run(elw_job *job, const void *arg, size_t limit, char **out_answer, size_t *out_len)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), rc;

	cr_assert_geq(fd, 0);
	rc = elw_worker_run(job, fd, arg, limit, out_answer, out_len);
	close(fd);
	return rc;
}

static int repeat(int fd, int out_fd, const void *arg)
{
	const unsigned *cnt = arg;
	unsigned i;

	(void)fd;
	for (i = 0; i < *cnt; i++)
		if (elw_worker_write(out_fd, "0123456789", 10))
			return -1;
	return 0;
}

Test(worker, hands_over_the_whole_answer)
{
	unsigned cnt = 20000;
	char *answer = NULL;
	size_t len = 0;

	cr_assert_eq(run(repeat, &cnt, 1 << 20, &answer, &len), 0);
	cr_expect_eq(len, 200000);
	cr_expect_eq(memcmp(answer + len - 10, "0123456789", 10), 0);
	free(answer);
}

Test(worker, an_endless_answer_is_cut_off)
{
	unsigned cnt = ~0u;
	char *answer = NULL;
	size_t len = 0;

	cr_expect_eq(run(repeat, &cnt, 100000, &answer, &len), -ECHILD);
	cr_expect_null(answer);
}

static int die_by(int fd, int out_fd, const void *arg)
{
	const int *signal_number = arg;

	(void)fd;
	if (elw_worker_write(out_fd, "half", 4))
		return -1;
	raise(*signal_number);
	return 0;
}

Test(worker, a_crash_costs_the_answer_only)
{
	static const int signals[] = {SIGSEGV, SIGABRT, SIGKILL, SIGBUS};
	char *answer = NULL;
	size_t len = 7, i;

	for (i = 0; i < OWT_ARRAY_SIZE(signals); i++)
		cr_expect_eq(run(die_by, &signals[i], 1 << 20, &answer, &len), -ECHILD);
	cr_expect_null(answer);
	cr_expect_eq(len, 7);
}

static int give_up(int fd, int out_fd, const void *arg)
{
	(void)fd;
	(void)out_fd;
	(void)arg;
	return -1;
}

Test(worker, a_failed_job_has_no_answer)
{
	char *answer = NULL;
	size_t len = 0;

	cr_expect_eq(run(give_up, NULL, 1 << 20, &answer, &len), -ECHILD);
	cr_expect_null(answer);
}

/* What the child can do, a byte each. */
static int tell_powers(int fd, int out_fd, const void *arg)
{
	const int *secret = arg;
	struct rlimit core, size, cpu;
	char powers[5];

	if (getrlimit(RLIMIT_CORE, &core) || getrlimit(RLIMIT_FSIZE, &size) ||
	    getrlimit(RLIMIT_CPU, &cpu))
		return -1;
	powers[0] = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 'y' : 'n';
	powers[1] = core.rlim_max == 0 && size.rlim_max == 0 ? 'y' : 'n';
	powers[2] = cpu.rlim_max == 30 ? 'y' : 'n';
	powers[3] = fcntl(*secret, F_GETFD) < 0 && fcntl(0, F_GETFD) < 0 ? 'y' : 'n';
	powers[4] = fcntl(fd, F_GETFD) >= 0 ? 'y' : 'n';
	return elw_worker_write(out_fd, powers, sizeof(powers));
}

Test(worker, has_only_its_file_and_no_powers)
{
	int secret = open("/dev/null", O_RDONLY);
	char *answer = NULL;
	size_t len = 0;

	/* Far from the numbers that the worker uses itself. */
	cr_assert_eq(dup2(secret, 100), 100);
	close(secret);
	secret = 100;
	cr_assert_eq(run(tell_powers, &secret, 1 << 20, &answer, &len), 0);
	cr_assert_eq(len, 5);
	cr_expect_eq(memcmp(answer, "yyyyy", 5), 0, "%.5s", answer);
	free(answer);
	close(secret);
}

static int write_a_file(int fd, int out_fd, const void *arg)
{
	int file = open(arg, O_WRONLY);

	(void)fd;
	if (file < 0 || write(file, "x", 1) != 1)
		return -1;
	return elw_worker_write(out_fd, "written", 7);
}

Test(worker, cannot_write_to_files)
{
	char path[] = "/tmp/offwake-worker-XXXXXX", *answer = NULL;
	int fd = mkstemp(path);
	size_t len = 0;

	cr_assert_geq(fd, 0);
	cr_expect_eq(run(write_a_file, path, 1 << 20, &answer, &len), -ECHILD);
	cr_expect_eq(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	unlink(path);
}
