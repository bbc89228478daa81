/* SPDX-License-Identifier: Apache-2.0 */
/* Roles that nobody wakes (the timer does), that never sleep, that exit, or that fork. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "wl.h"

struct sleeper {
	struct truth_board *board;
	struct truth_role *role;
	uint64_t sleeps, us;
	struct sleeper *children; /* fork-tree */
	int child_cnt;
};

static OW_NOINLINE void ow_timer_block(uint64_t us)
{
	OW_FRAME();
	ow_sleep_ns(us * 1000);
	OW_KEEP();
}

static OW_NOINLINE void ow_timer_sleeps(const struct sleeper *s)
{
	struct truth_probe probe;

	for (uint64_t i = 0; i < s->sleeps; i++) {
		truth_before(s->role, &probe);
		ow_timer_block(s->us);
		truth_after(s->role, &probe);
	}
}

static OW_NOINLINE void *ow_timer_main(void *arg)
{
	const struct sleeper *s = arg;

	truth_begin(s->board, s->role);
	ow_timer_sleeps(s);
	truth_park(s->role);
}

static void sleeper_init(struct wl *wl, struct sleeper *s, const char *name, uint64_t sleeps,
			 uint64_t us)
{
	s->board = wl->board;
	s->role = truth_role_add(wl->board, name, "ow_timer_block", "-", "-");
	s->sleeps = sleeps;
	s->us = us;
}

void wl_nanosleep(struct wl *wl)
{
	struct sleeper *s = wl_shared(sizeof(*s));

	sleeper_init(wl, s, "ow-timer", wl_arg(wl, 0, 100), wl_arg(wl, 1, 5000));
	wl_thread(ow_timer_main, s);
}

void wl_naps(struct wl *wl)
{
	struct sleeper *s = wl_shared(2 * sizeof(*s));

	sleeper_init(wl, &s[0], "ow-nap-1ms", wl_arg(wl, 0, 100), 1000);
	sleeper_init(wl, &s[1], "ow-nap-20ms", wl_arg(wl, 1, 20), 20000);
	wl_thread(ow_timer_main, &s[0]);
	wl_thread(ow_timer_main, &s[1]);
}

/* timeout: the timer of a socket is one of those that a softirq looks after. */

static OW_NOINLINE void ow_timeout_block(int fd)
{
	char c;

	OW_FRAME();
	ow_sys4(SYS_read, fd, (long)&c, 1, 0);
	OW_KEEP();
}

static OW_NOINLINE void *ow_timeout_main(void *arg)
{
	const struct sleeper *s = arg;
	struct timeval timeout = { .tv_usec = (suseconds_t)s->us };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	struct truth_probe probe;

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)))
		exit(1);
	truth_begin(s->board, s->role);
	for (uint64_t i = 0; i < s->sleeps; i++) {
		truth_before(s->role, &probe);
		ow_timeout_block(fd);
		truth_after(s->role, &probe);
	}
	truth_park(s->role);
}

void wl_timeout(struct wl *wl)
{
	struct sleeper *s = wl_shared(sizeof(*s));

	s->board = wl->board;
	s->sleeps = wl_arg(wl, 0, 50);
	s->us = wl_arg(wl, 1, 20000);
	s->role = truth_role_add(wl->board, "ow-timeout", "ow_timeout_block", "-", "-");
	s->role->via_softirq = 1;
	wl_thread(ow_timeout_main, s);
}

/* exits: what was recorded of a thread must outlive it. */

static OW_NOINLINE void *ow_exit_main(void *arg)
{
	const struct sleeper *s = arg;

	truth_begin(s->board, s->role);
	ow_timer_sleeps(s);
	truth_exit(s->role);
	return NULL;
}

void wl_exits(struct wl *wl)
{
	uint64_t cnt = wl_arg(wl, 0, 40);
	struct sleeper *s = wl_shared(cnt * sizeof(*s));
	char name[32];

	wl->linger_ms = wl_arg(wl, 1, 0);
	for (uint64_t i = 0; i < cnt; i++) {
		snprintf(name, sizeof(name), "ow-exit-%llu", (unsigned long long)i);
		sleeper_init(wl, &s[i], name, 1, 5000 + 500 * i);
		wl_thread(ow_exit_main, &s[i]);
	}
}

/* fork-tree: two children, each with two children of its own. */

static OW_NOINLINE void *ow_tree_main(void *arg)
{
	struct sleeper *s = arg;
	struct wl nest = { .board = s->board };

	for (int i = 0; i < s->child_cnt; i++)
		wl_process(&nest, ow_tree_main, &s->children[i]);
	truth_begin(s->board, s->role);
	ow_timer_sleeps(s);
	for (int i = 0; i < nest.child_cnt; i++)
		waitpid(nest.children[i], NULL, 0);
	truth_exit(s->role);
	return NULL;
}

void wl_fork_tree(struct wl *wl)
{
	uint64_t sleeps = wl_arg(wl, 0, 10);
	struct sleeper *s = wl_shared(6 * sizeof(*s));
	char name[32];

	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "ow-tree-%d", i);
		sleeper_init(wl, &s[i], name, sleeps, (uint64_t)(10000 + 5000 * i));
		s[i].children = &s[2 + 2 * i];
		s[i].child_cnt = 2;
		for (int j = 0; j < 2; j++) {
			snprintf(name, sizeof(name), "ow-tree-%d-%d", i, j);
			sleeper_init(wl, &s[2 + 2 * i + j], name, sleeps,
				     (uint64_t)(7000 + 2000 * j));
		}
	}
	for (int i = 0; i < 2; i++)
		wl_process(wl, ow_tree_main, &s[i]);
}

/* spinner: two threads that only ever lose the CPU against their will. */

struct spin {
	struct truth_board *board;
	struct truth_role *roles[2];
	_Atomic int next, stop;
	uint64_t ms;
};

static OW_NOINLINE void ow_spin(const _Atomic int *stop)
{
	OW_FRAME();
	while (!atomic_load_explicit(stop, memory_order_relaxed))
		OW_KEEP();
}

static OW_NOINLINE void *ow_spin_main(void *arg)
{
	struct spin *spin = arg;
	struct truth_role *role = spin->roles[atomic_fetch_add(&spin->next, 1)];
	struct truth_probe probe;

	truth_pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	truth_begin(spin->board, role);
	truth_before(role, &probe);
	ow_spin(&spin->stop);
	truth_after(role, &probe);
	truth_park(role);
}

static void *stop_spinning(void *arg)
{
	struct spin *spin = arg;

	while (!atomic_load(&spin->board->go))
		ow_futex_wait(&spin->board->go, 0);
	truth_pause_us(spin->ms * 1000);
	atomic_store(&spin->stop, 1);
	return NULL;
}

void wl_spinner(struct wl *wl)
{
	struct spin *spin = wl_shared(sizeof(*spin));

	spin->board = wl->board;
	spin->ms = wl_arg(wl, 0, 1000);
	spin->roles[0] = truth_role_add(wl->board, "ow-spin-a", "ow_spin", "-", "-");
	spin->roles[1] = truth_role_add(wl->board, "ow-spin-b", "ow_spin", "-", "-");
	wl_thread(ow_spin_main, spin);
	wl_thread(ow_spin_main, spin);
	wl_thread(stop_spinning, spin);
}
