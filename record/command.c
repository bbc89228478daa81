/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "caps.h"
#include "command.h"

#define EXIT_EXEC_FAILED 127

static void close_both(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* Only calls that are safe between fork and exec. */
static OWT_NORETURN void run_child(char **argv, const struct rec_environment *env, int go_fd,
				   int failed_fd)
{
	int code;
	char go;

	sigprocmask(SIG_SETMASK, &env->signals, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (rec_caps_disinherit() || setrlimit(RLIMIT_NOFILE, &env->fds) ||
	    (env->stdout_is_taken && dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
		_exit(EXIT_EXEC_FAILED);
	if (read(go_fd, &go, 1) == 1) {
		execvp(argv[0], argv);
		code = errno;
		if (write(failed_fd, &code, sizeof(code)) != sizeof(code))
			_exit(EXIT_EXEC_FAILED);
	}
	_exit(EXIT_EXEC_FAILED);
}

int rec_command_fork(char **argv, const struct rec_environment *env, struct rec_command *out,
		     struct owt_err *err)
{
	int go[2], failed[2];
	pid_t pid;

	if (pipe2(go, O_CLOEXEC))
		return owt_fail(err, -errno, "pipe: %s", strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close_both(go);
		return owt_fail(err, -errno, "pipe: %s", strerror(errno));
	}
	pid = fork();
	if (!pid) {
		close(go[1]);
		close(failed[0]);
		run_child(argv, env, go[0], failed[1]);
	}
	close(go[0]);
	close(failed[1]);
	if (pid < 0) {
		close(go[1]);
		close(failed[0]);
		return owt_fail(err, -errno, "cannot fork: %s", strerror(errno));
	}
	*out = (struct rec_command){ .pid = pid, .go_fd = go[1], .failed_fd = failed[0] };
	return 0;
}

static ssize_t read_failure(int fd, int *code)
{
	ssize_t n;

	do {
		n = read(fd, code, sizeof(*code));
	} while (n < 0 && errno == EINTR);
	return n;
}

int rec_command_go(struct rec_command *c, const char *name, struct owt_err *err)
{
	ssize_t sent = write(c->go_fd, "g", 1), n;
	int code = 0;

	close(c->go_fd);
	c->go_fd = -1;
	n = read_failure(c->failed_fd, &code);
	close(c->failed_fd);
	c->failed_fd = -1;
	if (sent != 1)
		return owt_fail(err, -EPIPE, "the command ended before it could start");
	if (n)
		return owt_fail(err, -code, "cannot run \"%s\": %s", name, strerror(code));
	return 0;
}

bool rec_command_reap(struct rec_command *c)
{
	if (c->pid && !c->is_over && wait4(c->pid, &c->status, WNOHANG, &c->usage) == c->pid)
		c->is_over = true;
	return c->is_over;
}

void rec_command_done(struct rec_command *c)
{
	if (!c->pid)
		return;
	if (c->go_fd >= 0)
		close(c->go_fd);
	if (c->failed_fd >= 0)
		close(c->failed_fd);
	if (!rec_command_reap(c))
		kill(c->pid, SIGTERM);
	c->pid = 0;
}
