/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "slurp.h"

static int grow(char **bytes, size_t *cap, size_t max_bytes)
{
	size_t want = *cap ? *cap * 2 : 16384;
	char *more;

	if (*cap > max_bytes)
		return -EFBIG;
	more = realloc(*bytes, want + 1);
	if (!more)
		return -ENOMEM;
	*bytes = more;
	*cap = want;
	return 0;
}

static int read_all(int fd, size_t max_bytes, char **out_bytes, size_t *out_len)
{
	size_t cap = 0, len = 0;
	char *bytes = NULL;
	ssize_t n;
	int err = 0;

	do {
		if (len == cap)
			err = grow(&bytes, &cap, max_bytes);
		if (err)
			break;
		n = read(fd, bytes + len, cap - len);
		if (n < 0 && errno != EINTR)
			err = -errno;
		else if (n > 0)
			len += (size_t)n;
	} while (!err && n);
	if (!err && len > max_bytes)
		err = -EFBIG;
	if (err) {
		free(bytes);
		return err;
	}
	bytes[len] = '\0';
	*out_bytes = bytes;
	*out_len = len;
	return 0;
}

int rec_slurp(int dirfd, const char *path, size_t max_bytes, char **out_bytes, size_t *out_len)
{
	int fd = openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int err;

	if (fd < 0)
		return -errno;
	err = read_all(fd, max_bytes, out_bytes, out_len);
	close(fd);
	return err;
}
