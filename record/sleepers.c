/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "sleepers.h"

#define REAP_TRIES    20
#define REAP_PAUSE_NS 5000000L

/* Only calls that are safe after a fork. Its end closes the pipe that the parent waits on. */
static OWT_NORETURN void run_child(int fd)
{
	char nothing[64];
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	do {
		n = read(fd, nothing, sizeof(nothing));
	} while (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)));
	_exit(n < 0 ? errno : 0);
}

/* A child that waits where no signal reaches it is left behind. */
static int reap(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = REAP_PAUSE_NS };
	int status;

	for (int i = 0; i < REAP_TRIES; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) ? -WEXITSTATUS(status) : -ETIME;
		nanosleep(&pause, NULL);
	}
	return -ETIME;
}

static bool is_over_in(int alive_fd, int limit_ms)
{
	struct pollfd alive = { .fd = alive_fd, .events = POLLIN };

	return poll(&alive, 1, limit_ms) > 0;
}

int rec_sleepers_read(int fd, int limit_ms, struct owt_err *err)
{
	int alive[2], status, ret;
	pid_t pid;

	if (pipe2(alive, O_CLOEXEC))
		return owt_fail(err, -errno, "pipe: %s", strerror(errno));
	pid = fork();
	if (!pid)
		run_child(fd);
	close(alive[1]);
	if (pid < 0) {
		ret = owt_fail(err, -errno, "cannot fork: %s", strerror(errno));
		close(alive[0]);
		return ret;
	}
	if (is_over_in(alive[0], limit_ms)) {
		ret = waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? -WEXITSTATUS(status)
									   : -ECHILD;
	} else {
		kill(pid, SIGKILL);
		ret = reap(pid);
	}
	close(alive[0]);
	return ret ? owt_fail(err, ret, "cannot read user stacks of sleepers: %s",
			      owt_strerror(ret))
		   : 0;
}
