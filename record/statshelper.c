/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request is one byte. The answer is 0 with the descriptor, or an errno: the recorder, once it
 * has given up its capabilities, can have nothing else done by it.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "caps.h"
#include "preflight.h"
#include "statshelper.h"

#define SOCKET_FD 3
#define ANSWER_MS 1000

struct rec_statshelper {
	pid_t pid;
	int socket;
};

/* Room for one descriptor, aligned as a header must be. */
union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr head;
};

static struct msghdr message(struct iovec *code, union control *control)
{
	return (struct msghdr){ .msg_iov = code,
				.msg_iovlen = 1,
				.msg_control = control->bytes,
				.msg_controllen = sizeof(control->bytes) };
}

/* --- the helper -------------------------------------------------------------------------- */

static void answer(void)
{
	int fd = bpf_enable_stats(BPF_STATS_RUN_TIME), code = fd < 0 ? errno : 0;
	union control control = { .bytes = { 0 } };
	struct iovec part = { &code, sizeof(code) };
	struct msghdr m = message(&part, &control);
	struct cmsghdr *head = CMSG_FIRSTHDR(&m);

	*head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_RIGHTS,
				  .cmsg_len = CMSG_LEN(sizeof(fd)) };
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	if (fd < 0)
		m.msg_controllen = 0;
	if (sendmsg(SOCKET_FD, &m, MSG_NOSIGNAL) < 0)
		_exit(1);
	if (fd >= 0)
		close(fd);
}

/* Keeps nothing but the socket and, if it was held, the one capability. */
static int shrink(int socket)
{
	if (dup2(socket, SOCKET_FD) < 0 || syscall(SYS_close_range, SOCKET_FD + 1, ~0u, 0))
		return -1;
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	return rec_caps_only(1ull << CAP_SYS_ADMIN) || prctl(PR_SET_PDEATHSIG, SIGKILL) ? -1 : 0;
}

static void OWT_NORETURN be_helper(int socket)
{
	char byte;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (shrink(socket))
		_exit(1);
	while (recv(SOCKET_FD, &byte, 1, 0) == 1)
		answer();
	_exit(0);
}

/* --- its caller -------------------------------------------------------------------------- */

int rec_statshelper_start(struct rec_statshelper **out)
{
	struct rec_statshelper *h = calloc(1, sizeof(*h));
	int sockets[2], rc;

	if (!h)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		rc = -errno;
		free(h);
		return rc;
	}
	h->pid = fork();
	if (!h->pid)
		be_helper(sockets[1]);
	rc = h->pid < 0 ? -errno : 0;
	close(sockets[1]);
	h->socket = sockets[0];
	if (rc) {
		close(h->socket);
		free(h);
		return rc;
	}
	*out = h;
	return 0;
}

pid_t rec_statshelper_pid(const struct rec_statshelper *h)
{
	return h->pid;
}

int rec_statshelper_open(struct rec_statshelper *h)
{
	struct pollfd ready = { .fd = h->socket, .events = POLLIN };
	union control control;
	int code = 0, fd;
	struct iovec part = { &code, sizeof(code) };
	struct msghdr m = message(&part, &control);
	const struct cmsghdr *head;

	if (send(h->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) != 1)
		return -errno;
	if (poll(&ready, 1, ANSWER_MS) != 1)
		return -ETIMEDOUT;
	if (recvmsg(h->socket, &m, MSG_CMSG_CLOEXEC) != sizeof(code))
		return -EPIPE;
	head = CMSG_FIRSTHDR(&m);
	if (code || !head || head->cmsg_type != SCM_RIGHTS ||
	    head->cmsg_len != CMSG_LEN(sizeof(fd)))
		return code > 0 ? -code : -EPIPE;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

void rec_statshelper_free(struct rec_statshelper *h)
{
	if (!h)
		return;
	close(h->socket);
	kill(h->pid, SIGKILL);
	waitpid(h->pid, NULL, 0);
	free(h);
}
