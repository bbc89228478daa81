/* SPDX-License-Identifier: Apache-2.0 */
/* Locks: a mutex with a known holder, and two threads that deadlock. */
#include <pthread.h>

#include "wl.h"

struct contest {
	struct truth_board *board;
	struct truth_role *holder, *waiter;
	pthread_mutex_t lock;
	_Atomic uint64_t held, passed; /* rounds in which the lock was taken, and passed on */
	uint64_t rounds, hold_us;
};

static OW_NOINLINE void ow_mutex_hold(struct truth_role *role, uint64_t us)
{
	struct truth_probe probe;

	truth_before(role, &probe);
	OW_FRAME();
	ow_sleep_ns(us * 1000);
	truth_after(role, &probe);
}

static OW_NOINLINE void ow_mutex_release(struct contest *c)
{
	OW_FRAME();
	pthread_mutex_unlock(&c->lock);
	OW_KEEP();
}

static OW_NOINLINE void ow_mutex_block(struct contest *c)
{
	OW_FRAME();
	pthread_mutex_lock(&c->lock);
	OW_KEEP();
}

static OW_NOINLINE void *ow_holder_main(void *arg)
{
	struct contest *c = arg;

	truth_begin(c->board, c->holder);
	for (uint64_t i = 1; i <= c->rounds; i++) {
		pthread_mutex_lock(&c->lock);
		atomic_store(&c->held, i);
		ow_mutex_hold(c->holder, c->hold_us);
		ow_mutex_release(c);
		while (atomic_load(&c->passed) != i)
			OW_KEEP();
	}
	truth_park(c->holder);
}

static OW_NOINLINE void *ow_waiter_main(void *arg)
{
	struct contest *c = arg;
	struct truth_probe probe;

	truth_begin(c->board, c->waiter);
	for (uint64_t i = 1; i <= c->rounds; i++) {
		while (atomic_load(&c->held) != i)
			OW_KEEP();
		truth_before(c->waiter, &probe);
		ow_mutex_block(c);
		truth_after(c->waiter, &probe);
		pthread_mutex_unlock(&c->lock);
		atomic_store(&c->passed, i);
	}
	truth_park(c->waiter);
}

void wl_mutex(struct wl *wl)
{
	struct contest *c = wl_shared(sizeof(*c));

	c->board = wl->board;
	c->rounds = wl_arg(wl, 0, 100);
	c->hold_us = wl_arg(wl, 1, 5000);
	pthread_mutex_init(&c->lock, NULL);
	c->holder = truth_role_add(wl->board, "ow-holder", "ow_mutex_hold", "-", "-");
	c->waiter = truth_role_add(wl->board, "ow-waiter", "ow_mutex_block", "ow_mutex_release",
				   "ow-holder");
	c->waiter->via_libc = 1;
	wl_thread(ow_holder_main, c);
	wl_thread(ow_waiter_main, c);
}

/* deadlock: each takes its own lock, then wants the other's. */

struct knot {
	struct truth_board *board;
	struct truth_role *roles[2];
	_Atomic int locks[2]; /* 1: taken */
	_Atomic int ready;    /* how many hold their first lock */
};

struct knot_end {
	struct knot *knot;
	int me;
};

static OW_NOINLINE void ow_deadlock_block(_Atomic int *lock)
{
	OW_FRAME();
	while (atomic_exchange(lock, 1))
		ow_futex_wait(lock, 1);
	OW_KEEP();
}

static OW_NOINLINE void *ow_deadlock_main(void *arg)
{
	const struct knot_end *end = arg;
	struct knot *knot = end->knot;
	struct truth_probe probe;

	truth_begin(knot->board, knot->roles[end->me]);
	ow_deadlock_block(&knot->locks[end->me]);
	atomic_fetch_add(&knot->ready, 1);
	while (atomic_load(&knot->ready) != 2)
		OW_KEEP();
	truth_before(knot->roles[end->me], &probe);
	ow_deadlock_block(&knot->locks[!end->me]);
	return NULL;
}

void wl_deadlock(struct wl *wl)
{
	static const char *const names[2] = { "ow-dead-a", "ow-dead-b" };
	struct knot *knot = wl_shared(sizeof(*knot));
	struct knot_end *ends = wl_shared(2 * sizeof(*ends));

	wl->alive_ms = wl_arg(wl, 0, 3000);
	knot->board = wl->board;
	for (int i = 0; i < 2; i++) {
		knot->roles[i] = truth_role_add(wl->board, names[i], "ow_deadlock_block", "-", "-");
		ends[i].knot = knot;
		ends[i].me = i;
		wl_thread(ow_deadlock_main, &ends[i]);
	}
}
