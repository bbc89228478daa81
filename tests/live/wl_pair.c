/* SPDX-License-Identifier: Apache-2.0 */
/* Two roles that hand a turn to and fro: each is the only one that can wake the other. */
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "wl.h"

struct side {
	struct truth_board *board;
	struct truth_role *role;
	uint64_t rounds, burn_us;
	int me;		       /* 0 has the first turn */
	int read_fd, write_fd; /* pipe */
	_Atomic int *turn;     /* futex */
	struct gate *gate;     /* condvar */
};

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int turn;
};

static void add_sides(struct wl *wl, struct side *sides, const char *const names[2],
		      const char *sleeper, const char *waker)
{
	for (int i = 0; i < 2; i++) {
		sides[i].board = wl->board;
		sides[i].me = i;
		sides[i].role = truth_role_add(wl->board, names[i], sleeper, waker, names[!i]);
	}
}

/* pipe: two processes. */

static OW_NOINLINE void ow_pipe_block(int fd)
{
	char c;

	OW_FRAME();
	if (ow_sys4(SYS_read, fd, (long)&c, 1, 0) != 1)
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void ow_pipe_wake(int fd)
{
	char c = 'x';

	OW_FRAME();
	if (ow_sys4(SYS_write, fd, (long)&c, 1, 0) != 1)
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void ow_pipe_sleep(const struct side *s)
{
	struct truth_probe probe;

	truth_before(s->role, &probe);
	ow_pipe_block(s->read_fd);
	truth_after(s->role, &probe);
}

static OW_NOINLINE void ow_pipe_hand_over(const struct side *s)
{
	truth_burn_us(s->burn_us);
	ow_pipe_wake(s->write_fd);
	OW_KEEP();
}

static OW_NOINLINE void *ow_pipe_main(void *arg)
{
	const struct side *s = arg;

	truth_begin(s->board, s->role);
	for (uint64_t i = 0; i < s->rounds; i++) {
		if (s->me)
			ow_pipe_sleep(s);
		ow_pipe_hand_over(s);
		if (!s->me)
			ow_pipe_sleep(s);
	}
	truth_park(s->role);
}

static void start_pipe(struct wl *wl, const char *const names[2])
{
	struct side *sides = wl_shared(2 * sizeof(*sides));
	int there[2], back[2];

	if (pipe(there) || pipe(back)) {
		perror("pipe");
		exit(1);
	}
	add_sides(wl, sides, names, "ow_pipe_block", "ow_pipe_wake");
	for (int i = 0; i < 2; i++) {
		sides[i].rounds = wl_arg(wl, 0, 300);
		sides[i].burn_us = wl_arg(wl, 1, 2000);
		sides[i].read_fd = i ? there[0] : back[0];
		sides[i].write_fd = i ? back[1] : there[1];
		wl_process(wl, ow_pipe_main, &sides[i]);
	}
}

void wl_pipe(struct wl *wl)
{
	static const char *const names[2] = { "ow-ping", "ow-pong" };

	start_pipe(wl, names);
}

/* Anybody may take a name that the outputs use for something else. */
void wl_posed(struct wl *wl)
{
	static const char *const names[2] = { "[hardirq]", "[preempted]" };

	start_pipe(wl, names);
}

/* udp: on loopback the sender itself runs the softirq that wakes the receiver. */

static OW_NOINLINE void ow_udp_block(int fd)
{
	char c;

	OW_FRAME();
	if (ow_sys4(SYS_read, fd, (long)&c, 1, 0) != 1)
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void ow_udp_wake(const struct side *s)
{
	char c = 'x';

	truth_burn_us(s->burn_us);
	OW_FRAME();
	if (ow_sys4(SYS_write, s->write_fd, (long)&c, 1, 0) != 1)
		_exit(1);
	OW_KEEP();
}

static OW_NOINLINE void ow_udp_sleep(const struct side *s)
{
	struct truth_probe probe;

	truth_before(s->role, &probe);
	ow_udp_block(s->read_fd);
	truth_after(s->role, &probe);
}

static OW_NOINLINE void *ow_udp_main(void *arg)
{
	const struct side *s = arg;

	truth_begin(s->board, s->role);
	for (uint64_t i = 0; i < s->rounds; i++) {
		if (s->me)
			ow_udp_sleep(s);
		ow_udp_wake(s);
		if (!s->me)
			ow_udp_sleep(s);
	}
	truth_park(s->role);
}

static void open_udp_pair(int out_fds[2])
{
	struct sockaddr_in addr[2];
	socklen_t len = sizeof(addr[0]);

	for (int i = 0; i < 2; i++) {
		memset(&addr[i], 0, sizeof(addr[i]));
		addr[i].sin_family = AF_INET;
		addr[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		out_fds[i] = socket(AF_INET, SOCK_DGRAM, 0);
		if (out_fds[i] < 0 || bind(out_fds[i], (struct sockaddr *)&addr[i], len) ||
		    getsockname(out_fds[i], (struct sockaddr *)&addr[i], &len))
			goto fail;
	}
	for (int i = 0; i < 2; i++)
		if (connect(out_fds[i], (struct sockaddr *)&addr[!i], len))
			goto fail;
	return;
fail:
	perror("udp");
	exit(1);
}

void wl_udp(struct wl *wl)
{
	static const char *const names[2] = { "ow-udp-a", "ow-udp-b" };
	struct side *sides = wl_shared(2 * sizeof(*sides));
	int fds[2];

	open_udp_pair(fds);
	add_sides(wl, sides, names, "ow_udp_block", "ow_udp_wake");
	for (int i = 0; i < 2; i++) {
		sides[i].rounds = wl_arg(wl, 0, 300);
		sides[i].burn_us = wl_arg(wl, 1, 1000);
		sides[i].read_fd = fds[i];
		sides[i].write_fd = fds[i];
		sides[i].role->via_softirq = 1;
		wl_thread(ow_udp_main, &sides[i]);
	}
}

/* futex: two threads, one word that names whose turn it is. */

static OW_NOINLINE void ow_futex_block(_Atomic int *word, int value)
{
	OW_FRAME();
	ow_futex_wait(word, value);
	OW_KEEP();
}

static OW_NOINLINE void ow_futex_hand_over(const struct side *s)
{
	truth_burn_us(s->burn_us);
	OW_FRAME();
	atomic_store(s->turn, !s->me);
	ow_futex_wake(s->turn, 1);
	OW_KEEP();
}

static OW_NOINLINE void ow_futex_sleep(const struct side *s)
{
	struct truth_probe probe;

	while (atomic_load(s->turn) != s->me) {
		truth_before(s->role, &probe);
		ow_futex_block(s->turn, !s->me);
		truth_after(s->role, &probe);
	}
}

static OW_NOINLINE void *ow_futex_main(void *arg)
{
	const struct side *s = arg;

	truth_begin(s->board, s->role);
	for (uint64_t i = 0; i < s->rounds; i++) {
		ow_futex_sleep(s);
		ow_futex_hand_over(s);
	}
	truth_park(s->role);
}

void wl_futex(struct wl *wl)
{
	static const char *const names[2] = { "ow-fut-a", "ow-fut-b" };
	struct side *sides = wl_shared(2 * sizeof(*sides));
	_Atomic int *turn = wl_shared(sizeof(*turn));

	add_sides(wl, sides, names, "ow_futex_block", "ow_futex_hand_over");
	for (int i = 0; i < 2; i++) {
		sides[i].rounds = wl_arg(wl, 0, 2000);
		sides[i].burn_us = wl_arg(wl, 1, 0);
		sides[i].turn = turn;
		wl_thread(ow_futex_main, &sides[i]);
	}
}

/* condvar: the same through the C library. */

static OW_NOINLINE void ow_cond_block(const struct side *s)
{
	OW_FRAME();
	pthread_mutex_lock(&s->gate->lock);
	while (s->gate->turn != s->me)
		pthread_cond_wait(&s->gate->changed, &s->gate->lock);
	pthread_mutex_unlock(&s->gate->lock);
	OW_KEEP();
}

static OW_NOINLINE void ow_cond_wake(const struct side *s)
{
	OW_FRAME();
	pthread_mutex_lock(&s->gate->lock);
	s->gate->turn = !s->me;
	pthread_mutex_unlock(&s->gate->lock);
	pthread_cond_signal(&s->gate->changed);
	OW_KEEP();
}

static OW_NOINLINE void ow_cond_sleep(const struct side *s)
{
	struct truth_probe probe;

	truth_before(s->role, &probe);
	ow_cond_block(s);
	truth_after(s->role, &probe);
}

static OW_NOINLINE void *ow_cond_main(void *arg)
{
	const struct side *s = arg;

	truth_begin(s->board, s->role);
	for (uint64_t i = 0; i < s->rounds; i++) {
		ow_cond_sleep(s);
		truth_burn_us(s->burn_us);
		ow_cond_wake(s);
	}
	truth_park(s->role);
}

void wl_condvar(struct wl *wl)
{
	static const char *const names[2] = { "ow-cond-a", "ow-cond-b" };
	struct side *sides = wl_shared(2 * sizeof(*sides));
	struct gate *gate = wl_shared(sizeof(*gate));

	pthread_mutex_init(&gate->lock, NULL);
	pthread_cond_init(&gate->changed, NULL);
	add_sides(wl, sides, names, "ow_cond_block", "ow_cond_wake");
	for (int i = 0; i < 2; i++) {
		sides[i].rounds = wl_arg(wl, 0, 300);
		sides[i].burn_us = wl_arg(wl, 1, 2000);
		sides[i].gate = gate;
		sides[i].role->via_libc = 1;
		wl_thread(ow_cond_main, &sides[i]);
	}
}
