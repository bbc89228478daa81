/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>
#include "reader.h"
#include "writer.h"

/* After EINTR or, on a non-blocking descriptor, once it is ready: 0, else -errno. */
static int wait_if_blocked(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	if (errno == EINTR)
		return 0;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return -errno;
	return poll(&p, 1, -1) < 0 && errno != EINTR ? -errno : 0;
}

int owt_fd_write(void *ctx, const void *bytes, size_t n)
{
	const int fd = *(const int *)ctx;
	const uint8_t *p = bytes;

	while (n) {
		ssize_t done = write(fd, p, n < SSIZE_MAX ? n : SSIZE_MAX);

		if (!done)
			return -EIO;
		if (done < 0) {
			int ret = wait_if_blocked(fd, POLLOUT);

			if (ret)
				return ret;
			continue;
		}
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

ptrdiff_t owt_fd_read(void *ctx, void *bytes, size_t n)
{
	const int fd = *(const int *)ctx;

	for (;;) {
		ssize_t done = read(fd, bytes, n < SSIZE_MAX ? n : SSIZE_MAX);
		int ret;

		if (done >= 0)
			return done;
		ret = wait_if_blocked(fd, POLLIN);
		if (ret)
			return ret;
	}
}

int owt_keep_standard_fds(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}
