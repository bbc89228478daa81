/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "layout.h"
#include "output.h"
#include "writer.h"

#define STALL_MS 2000

enum existing { NOTHING, EMPTY, RECORDING, BUSY, OTHER };

static enum existing look(const char *path)
{
	char magic[OWT_MAGIC_LEN];
	struct stat st;
	enum existing what = OTHER;
	int fd;

	if (lstat(path, &st))
		return errno == ENOENT ? NOTHING : OTHER;
	if (!S_ISREG(st.st_mode))
		return OTHER;
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return OTHER;
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		what = BUSY;
	else if (!st.st_size)
		what = EMPTY;
	else if (read(fd, magic, sizeof(magic)) == sizeof(magic) &&
		 !memcmp(magic, OWT_MAGIC, sizeof(magic)))
		what = RECORDING;
	close(fd);
	return what;
}

static int fail_busy(const char *path, struct owt_err *err)
{
	return owt_fail(err, -EBUSY,
			"another recording is being written to \"%s\": end that one first, or "
			"choose another name with -o",
			path);
}

static int set_aside(const char *path, struct owt_err *err)
{
	char *old;
	enum existing there;
	int ret = 0;

	if (asprintf(&old, "%s.old", path) < 0)
		return owt_fail(err, -ENOMEM, "out of memory");
	there = look(old);
	if (there == BUSY)
		ret = fail_busy(old, err);
	else if (there == OTHER)
		ret = owt_fail(err, -EEXIST,
			       "\"%s\" would have to make room for \"%s\" and is no "
			       "recording: both are left alone; choose another name with -o",
			       old, path);
	else if (rename(path, old))
		ret = owt_fail(err, -errno,
			       "cannot rename \"%s\" to \"%s\": %s; choose another name "
			       "with -o",
			       path, old, strerror(errno));
	free(old);
	return ret;
}

static int make_room(const char *path, struct owt_err *err)
{
	switch (look(path)) {
	case BUSY:
		return fail_busy(path, err);
	case RECORDING:
		return set_aside(path, err);
	case EMPTY:
		if (!unlink(path))
			return 0;
		return owt_fail(err, -errno,
				"cannot replace \"%s\": %s; choose another name with "
				"-o",
				path, strerror(errno));
	case OTHER:
		return owt_fail(err, -EEXIST,
				"\"%s\" exists and is no recording: it is left alone; "
				"choose another name with -o",
				path);
	default:
		return 0;
	}
}

static int open_stdout(struct rec_output *out, struct owt_err *err)
{
	if (isatty(STDOUT_FILENO))
		return owt_fail(err, -OWT_E_USAGE,
				"a recording is not for a terminal: pipe it into "
				"\"offwake-report -\", or give -o FILE");
	*out = (struct rec_output){ .fd = STDOUT_FILENO, .path = "stdout", .signal_fd = -1 };
	return 0;
}

/*
 * Others leave the file alone now. One of them may have taken it for empty before; file systems
 * without locks are not worth a failure.
 */
static bool is_locked(int fd, const char *path)
{
	struct stat ours, there;

	if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return false;
	return !fstat(fd, &ours) && !stat(path, &there) && ours.st_ino == there.st_ino &&
	       ours.st_dev == there.st_dev;
}

int rec_output_open(const char *path, struct rec_output *out, struct owt_err *err)
{
	int ret, fd;

	if (!strcmp(path, "-"))
		return open_stdout(out, err);
	ret = make_room(path, err);
	if (ret)
		return ret;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return owt_fail(err, -errno,
				"cannot create \"%s\": %s; choose another place with "
				"-o",
				path, strerror(errno));
	if (!is_locked(fd, path)) {
		close(fd);
		return fail_busy(path, err);
	}
	*out = (struct rec_output){ .fd = fd, .path = path, .is_ours = true, .signal_fd = -1 };
	return 0;
}

/* Until fd takes bytes: 0, or -ETIMEDOUT when we are told to stop and it takes none. */
static int wait_for_reader(const struct rec_output *o)
{
	struct pollfd fds[] = { { .fd = o->fd, .events = POLLOUT },
				{ .fd = o->signal_fd, .events = POLLIN } };
	int ready = poll(fds, OWT_ARRAY_SIZE(fds), -1);

	if (ready > 0 && !fds[0].revents)
		ready = poll(fds, 1, STALL_MS);
	if (!ready)
		return -ETIMEDOUT;
	return ready < 0 && errno != EINTR ? -errno : 0;
}

int rec_output_write(void *ctx, const void *bytes, size_t n)
{
	struct rec_output *o = ctx;
	const char *p = bytes;
	int ret = 0;

	if (o->is_ours)
		return owt_fd_write(&o->fd, bytes, n);
	/* what poll() lets through does not block, up to PIPE_BUF at a time */
	while (n && !ret) {
		size_t part = n < PIPE_BUF ? n : PIPE_BUF;

		ret = wait_for_reader(o);
		if (!ret)
			ret = owt_fd_write(&o->fd, p, part);
		p += part;
		n -= part;
	}
	return ret;
}

int rec_output_close(struct rec_output *o, struct owt_err *err)
{
	int ret = 0;

	if (o->is_ours && fdatasync(o->fd))
		ret = owt_fail(err, -errno, "cannot write \"%s\": %s", o->path, strerror(errno));
	if (close(o->fd) && !ret)
		ret = owt_fail(err, -errno, "cannot write \"%s\": %s", o->path, strerror(errno));
	o->fd = -1;
	return ret;
}

const char *rec_output_cure(int code)
{
	switch (code) {
	case -ENOSPC:
	case -EDQUOT:
		return "free some space, or choose another place with -o";
	case -EFBIG:
		return "raise the limit (ulimit -f), or choose another place with -o";
	case -EPIPE:
		return "its reader ended";
	case -ETIMEDOUT:
		return "its reader does not read";
	case -EIO:
		return "look into the kernel log, and choose another place with -o";
	default:
		return NULL;
	}
}

void rec_output_abandon(struct rec_output *o, uint64_t kept_bytes)
{
	if (o->fd < 0)
		return;
	/* without capabilities a file in another user's directory can only be emptied */
	if (o->is_ours && (kept_bytes || unlink(o->path)) && ftruncate(o->fd, (off_t)kept_bytes))
		o->is_ours = false; /* a tail that readers drop stays */
	close(o->fd);
	o->fd = -1;
}
