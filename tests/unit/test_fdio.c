/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "reader.h"
#include "writer.h"

#define BYTES 300000

/* Reads all from fd slowly, in odd pieces; the exit status says whether it was right. */
static void check_pipe(int fd)
{
	size_t got = 0;
	uint8_t part[4093];
	ptrdiff_t n;

	usleep(20000);
	while ((n = owt_fd_read(&fd, part, sizeof(part))) > 0)
		for (ptrdiff_t i = 0; i < n; i++, got++)
			if (part[i] != (uint8_t)(got * 7))
				_exit(1);
	_exit(n || got != BYTES);
}

static int through_pipe(int write_flags, int read_flags)
{
	static uint8_t bytes[BYTES];
	int fds[2], status, ret;
	pid_t pid;

	for (size_t i = 0; i < BYTES; i++)
		bytes[i] = (uint8_t)(i * 7);
	cr_assert(!pipe(fds));
	cr_assert(!fcntl(fds[1], F_SETFL, write_flags));
	cr_assert(!fcntl(fds[0], F_SETFL, read_flags));
	pid = fork();
	if (!pid) {
		close(fds[1]);
		check_pipe(fds[0]);
	}
	close(fds[0]);
	ret = owt_fd_write(&fds[1], bytes, BYTES / 2);
	usleep(20000);
	if (!ret)
		ret = owt_fd_write(&fds[1], bytes + BYTES / 2, BYTES - BYTES / 2);
	close(fds[1]);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	return ret;
}

Test(fdio, a_full_pipe_is_waited_for)
{
	cr_assert_eq(through_pipe(0, 0), 0);
	cr_assert_eq(through_pipe(O_NONBLOCK, 0), 0);
}

Test(fdio, an_empty_pipe_is_waited_for)
{
	cr_assert_eq(through_pipe(0, O_NONBLOCK), 0);
}

Test(fdio, errors_keep_their_number)
{
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC), dir = open("/", O_RDONLY | O_CLOEXEC);
	int none = -1;
	uint8_t byte = 0;

	cr_assert_eq(owt_fd_write(&full, &byte, 1), -ENOSPC);
	cr_assert_eq(owt_fd_write(&none, &byte, 1), -EBADF);
	cr_assert_eq(owt_fd_read(&none, &byte, 1), -EBADF);
	cr_assert_eq(owt_fd_read(&dir, &byte, 1), -EISDIR);
	cr_assert_eq(owt_fd_write(&none, &byte, 0), 0);
	close(full);
	close(dir);
}
