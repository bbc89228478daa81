/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "elfworker.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNDER_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(UNDER_ASAN)
#define UNDER_ASAN 1
#endif
#ifndef UNDER_ASAN
#define UNDER_ASAN 0
#endif

#define NOBODY	     65534
#define CPU_SECONDS  30
#define MEMORY_BYTES (4ull << 30)

int elw_worker_write(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int limit_to(int resource, rlim_t value)
{
	struct rlimit limit = { value, value };

	return setrlimit(resource, &limit);
}

/* A file another user owns is not parsed with root's powers, nor with any capability. */
static int drop_privileges(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (geteuid() == 0 && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			       setresuid(NOBODY, NOBODY, NOBODY)))
		return -1;
	return (int)syscall(SYS_capset, &head, none);
}

static int limit_child(void)
{
	pid_t parent = getppid();

	/* a change of ids clears the signal */
	if (drop_privileges() || prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		return -1;
	/* The address sanitizer's shadow takes terabytes of address space. */
	if (!UNDER_ASAN && limit_to(RLIMIT_AS, (rlim_t)MEMORY_BYTES))
		return -1;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || limit_to(RLIMIT_CORE, 0) ||
	       limit_to(RLIMIT_CPU, CPU_SECONDS) || limit_to(RLIMIT_FSIZE, 0);
}

/* Puts the two descriptors at ELW_KEPT_FD and behind it, closes all others but stderr. */
static int keep_only(int fd, int out_fd)
{
	int a = fd < 0 ? -1 : fcntl(fd, F_DUPFD, 16), b = fcntl(out_fd, F_DUPFD, 16);

	if ((fd >= 0 && (a < 0 || dup2(a, ELW_KEPT_FD) < 0)) || b < 0 ||
	    dup2(b, ELW_KEPT_FD + 1) < 0)
		return -1;
	if (fd < 0)
		close(ELW_KEPT_FD);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (syscall(SYS_close_range, ELW_KEPT_FD + 2, ~0u, 0) == 0)
		return 0;
	/* Linux before 5.9 */
	for (a = ELW_KEPT_FD + 2; a < 1024; a++)
		close(a);
	return 0;
}

int elw_lock_up(int fd, int out_fd)
{
	return keep_only(fd, out_fd) || limit_child() ? -1 : 0;
}

static void OWT_NORETURN be_child(elw_job *job, int fd, int out_fd, const void *arg)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU };
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(fatal); i++)
		signal(fatal[i], SIG_DFL);
	if (elw_lock_up(fd, out_fd))
		_exit(1);
	_exit(job(ELW_KEPT_FD, ELW_KEPT_FD + 1, arg) ? 1 : 0);
}

/* Until fd is readable: false when the patience is over. */
static bool wait_for(int fd, const struct elw_patience *p)
{
	struct pollfd fds[] = { { .fd = fd, .events = POLLIN },
				{ .fd = p->wake_fd, .events = POLLIN } };
	struct timespec now;
	uint64_t now_ns;
	int ready;

	for (;;) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
		if (now_ns >= p->until_ns)
			return false;
		ready = poll(fds, 2, (int)((p->until_ns - now_ns) / 1000000 % INT32_MAX) + 1);
		if (ready > 0 && fds[1].revents && p->is_over(p->ctx))
			return false;
		if (ready > 0 && fds[0].revents)
			return true;
	}
}

int elw_collect(int fd, size_t limit, const struct elw_patience *patience, char **out_answer,
		size_t *out_len)
{
	size_t len = 0, cap = 0;
	char *answer = NULL;
	int rc = 0;

	for (;;) {
		ssize_t n;

		if (len == cap) {
			char *more = len < limit ? realloc(answer, cap ? cap * 2 : 4096) : NULL;

			if (!more) {
				rc = -ECHILD;
				break;
			}
			answer = more;
			cap = cap ? cap * 2 : 4096;
		}
		if (patience && !wait_for(fd, patience)) {
			rc = -ETIMEDOUT;
			break;
		}
		n = read(fd, answer + len, cap - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (rc) {
		free(answer);
		return rc;
	}
	*out_answer = answer;
	*out_len = len;
	return 0;
}

static bool ended_well(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int elw_worker_run(elw_job *job, int fd, const void *arg, size_t limit, char **out_answer,
		   size_t *out_len)
{
	char *answer = NULL;
	size_t len = 0;
	int fds[2], rc;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child < 0) {
		rc = -errno;
		close(fds[0]);
		close(fds[1]);
		return rc;
	}
	if (child == 0)
		be_child(job, fd, fds[1], arg);
	close(fds[1]);
	rc = elw_collect(fds[0], limit, NULL, &answer, &len);
	close(fds[0]);
	if (!ended_well(child))
		rc = -ECHILD;
	if (rc) {
		free(answer);
		return rc;
	}
	*out_answer = answer;
	*out_len = len;
	return 0;
}
