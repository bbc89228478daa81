/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request is one byte with three descriptors: the file, where the answer goes, and a memory
 * file of the addresses. The caller may have another user id than the namer and cannot kill
 * it: closing the socket ends the namer, and that its children.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "elfjob.h"
#include "elfnamer.h"

#define SOCKET_FD (ELW_KEPT_FD + 1)
#define END_MS	  200

enum { FD_FILE, FD_ANSWER, FD_VADDRS, FD_CNT };

struct elw_namer {
	pid_t pid;
	int socket;
};

/* Room for the descriptors of one message, aligned as a header must be. */
union control {
	char bytes[CMSG_SPACE(FD_CNT * sizeof(int))];
	struct cmsghdr head;
};

static struct msghdr message(struct iovec *byte, union control *control)
{
	return (struct msghdr){ .msg_iov = byte,
				.msg_iovlen = 1,
				.msg_control = control->bytes,
				.msg_controllen = sizeof(control->bytes) };
}

/* --- the namer --------------------------------------------------------------------------- */

static void OWT_NORETURN answer_request(const int fds[FD_CNT])
{
	struct elw_request request = { 0 };
	struct stat st;
	uint64_t *vaddrs;
	size_t len;

	close(SOCKET_FD);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || fstat(fds[FD_VADDRS], &st) || st.st_size < 0)
		_exit(1);
	len = (size_t)st.st_size;
	vaddrs = malloc(len + 1);
	if (!vaddrs || pread(fds[FD_VADDRS], vaddrs, len, 0) != (ssize_t)len)
		_exit(1);
	request.vaddrs = vaddrs;
	request.vaddr_cnt = len / sizeof(*vaddrs);
	_exit(elw_names_job(fds[FD_FILE], fds[FD_ANSWER], &request) ? 1 : 0);
}

/* 1 and the descriptors of a request, 0 when there will be no more. */
static int take_request(int out_fds[FD_CNT])
{
	union control control;
	char byte;
	struct iovec part = { &byte, 1 };
	struct msghdr m = message(&part, &control);
	const struct cmsghdr *head;
	ssize_t n;

	do {
		n = recvmsg(SOCKET_FD, &m, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	head = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (!head || head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(FD_CNT * sizeof(int)))
		return 0;
	memcpy(out_fds, CMSG_DATA(head), FD_CNT * sizeof(int));
	return 1;
}

static void OWT_NORETURN be_namer(int socket)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGCHLD };
	sigset_t none;
	int fds[FD_CNT];

	for (size_t i = 0; i < OWT_ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (elw_lock_up(-1, socket))
		_exit(1);
	while (take_request(fds)) {
		if (!fork())
			answer_request(fds);
		for (size_t i = 0; i < FD_CNT; i++)
			close(fds[i]);
	}
	_exit(0);
}

/* --- its caller -------------------------------------------------------------------------- */

int elw_namer_start(struct elw_namer **out)
{
	struct elw_namer *n = calloc(1, sizeof(*n));
	int sockets[2], rc;

	if (!n)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		rc = -errno;
		free(n);
		return rc;
	}
	n->pid = fork();
	if (!n->pid)
		be_namer(sockets[1]);
	rc = n->pid < 0 ? -errno : 0;
	close(sockets[1]);
	n->socket = sockets[0];
	if (rc) {
		close(n->socket);
		free(n);
		return rc;
	}
	*out = n;
	return 0;
}

pid_t elw_namer_pid(const struct elw_namer *n)
{
	return n->pid;
}

static int vaddr_file(const struct elw_request *request)
{
	int fd = memfd_create("addresses", MFD_CLOEXEC);

	if (fd >= 0 &&
	    elw_worker_write(fd, request->vaddrs, request->vaddr_cnt * sizeof(*request->vaddrs))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int send_request(const struct elw_namer *n, const int fds[FD_CNT])
{
	union control control = { .bytes = { 0 } };
	char byte = 0;
	struct iovec part = { &byte, 1 };
	struct msghdr m = message(&part, &control);
	struct cmsghdr *head = CMSG_FIRSTHDR(&m);

	*head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS,
				  .cmsg_len = CMSG_LEN(FD_CNT * sizeof(int)) };
	memcpy(CMSG_DATA(head), fds, FD_CNT * sizeof(int));
	return sendmsg(n->socket, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == 1 ? 0 : -errno;
}

int elw_namer_names(struct elw_namer *n, int fd, const struct elw_request *request,
		    const struct elw_patience *patience, elw_symbol_fn *fn, void *ctx,
		    enum elw_outcome *out_outcome)
{
	int answer[2], rc, vaddrs = vaddr_file(request);
	char *bytes;
	size_t len;

	*out_outcome = ELW_FAILED;
	if (vaddrs < 0)
		return 0;
	if (pipe2(answer, O_CLOEXEC)) {
		close(vaddrs);
		return 0;
	}
	rc = send_request(n, (const int[FD_CNT]){ fd, answer[1], vaddrs });
	close(vaddrs);
	close(answer[1]);
	if (!rc)
		rc = elw_collect(answer[0], elw_answer_limit(request), patience, &bytes, &len);
	close(answer[0]);
	if (rc == -ETIMEDOUT)
		return rc;
	if (rc)
		return 0;
	rc = elw_take_answer(bytes, len, request, fn, ctx, out_outcome);
	free(bytes);
	return rc;
}

void elw_namer_free(struct elw_namer *n)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	if (!n)
		return;
	close(n->socket);
	/* one that somebody stopped stays, and ends when it goes on */
	for (int i = 0; i < END_MS && !waitpid(n->pid, NULL, WNOHANG); i++)
		nanosleep(&ms, NULL);
	free(n);
}
