/* SPDX-License-Identifier: Apache-2.0 */
/* Sleeps that signals end or cut off, and sleeps that are given up for other reasons. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "wl.h"

/*
 * signals: one thread interrupts another at about the instant at which that one goes to sleep.
 * A hit is a sleep that the signal cut off before the thread left its CPU. Then it waits for a
 * word that has changed already.
 */

struct hunt {
	struct truth_board *board;
	struct truth_role *role, *stale_role, *hunter_role;
	uint64_t rounds;
	_Atomic int round, ready, entering, done, delay;
};

static void on_signal(int number)
{
	(void)number;
}

static OW_NOINLINE long ow_signal_block(void)
{
	long ret;

	OW_FRAME();
	ret = ow_sleep_ns(800000);
	OW_KEEP();
	return ret;
}

static OW_NOINLINE long ow_stale_block(_Atomic int *word, int value)
{
	long ret;

	OW_FRAME();
	ret = ow_futex_wait(word, value);
	OW_KEEP();
	return ret;
}

static OW_NOINLINE void ow_tg_kill(const struct truth_role *prey)
{
	OW_FRAME();
	ow_sys4(SYS_tgkill, prey->tgid, prey->tid, SIGUSR1, 0);
	OW_KEEP();
}

static void signal_sleep(struct hunt *h, int i)
{
	struct truth_probe probe;
	uint64_t before = h->role->sleeps;
	int delay = atomic_load(&h->delay);
	long ret;

	atomic_store(&h->round, i);
	while (atomic_load(&h->ready) != i)
		OW_KEEP();
	truth_before(h->role, &probe);
	atomic_store(&h->entering, i);
	ret = ow_signal_block();
	truth_after(h->role, &probe);
	while (atomic_load(&h->done) != i)
		OW_KEEP();
	if (ret != -EINTR)
		delay += 20; /* it came before the call */
	else if (h->role->sleeps != before)
		delay -= 15;
	else
		h->role->hits++;
	atomic_store(&h->delay, delay < 0 ? 0 : delay);
}

static OW_NOINLINE void *ow_signal_main(void *arg)
{
	struct hunt *h = arg;
	struct truth_probe probe;

	truth_pin(0);
	truth_hurry();
	truth_also(h->stale_role);
	truth_begin(h->board, h->role);
	for (int i = 1; i <= (int)h->rounds; i++) {
		signal_sleep(h, i);
		truth_before(h->stale_role, &probe);
		if (ow_stale_block(&h->round, i - 1) == -EAGAIN)
			h->stale_role->hits++;
		truth_after(h->stale_role, &probe);
	}
	truth_exit(h->stale_role);
	truth_park(h->role);
}

static OW_NOINLINE void *ow_signal_hunter(void *arg)
{
	struct hunt *h = arg;

	truth_pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	truth_hurry();
	truth_begin(h->board, h->hunter_role);
	for (int i = 1; i <= (int)h->rounds; i++) {
		while (atomic_load(&h->round) != i)
			truth_pause_role(h->hunter_role, 50);
		atomic_store(&h->ready, i);
		while (atomic_load(&h->entering) != i)
			OW_KEEP();
		for (int turn = atomic_load(&h->delay); turn > 0; turn--)
			OW_KEEP();
		ow_tg_kill(h->role);
		atomic_store(&h->done, i);
	}
	truth_park(h->hunter_role);
}

void wl_signals(struct wl *wl)
{
	struct hunt *h = wl_shared(sizeof(*h));
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGUSR1, &action, NULL);
	h->board = wl->board;
	h->rounds = wl_arg(wl, 0, 200);
	h->role =
		truth_role_add(wl->board, "ow-prey", "ow_signal_block", "ow_tg_kill", "ow-hunter");
	h->stale_role = truth_role_add(wl->board, "ow-prey", "ow_stale_block", "-", "-");
	h->hunter_role = truth_role_add(wl->board, "ow-hunter", "truth_pause_us", "-", "-");
	wl_thread(ow_signal_main, h);
	wl_thread(ow_signal_hunter, h);
}

/* killed: processes of two threads each, killed in their sleep by another process. */

#define VICTIMS_MAX 32

struct killing {
	struct truth_board *board;
	struct truth_role *killer;
	struct truth_role *roles[2 * VICTIMS_MAX]; /* two for each victim */
	_Atomic int asleep[2 * VICTIMS_MAX];	   /* or about to be */
	int cnt;
};

struct victim {
	struct killing *k;
	int first; /* in its roles */
};

static OW_NOINLINE void ow_kill_block(_Atomic int *asleep)
{
	OW_FRAME();
	atomic_store(asleep, 1);
	ow_sleep_ns(600000000000);
	OW_KEEP();
}

static OW_NOINLINE void ow_kill(int tgid, int number)
{
	OW_FRAME();
	ow_sys4(SYS_kill, tgid, number, 0, 0);
	OW_KEEP();
}

static void *victim_second(void *arg)
{
	const struct victim *v = arg;

	truth_begin(v->k->board, v->k->roles[v->first + 1]);
	ow_kill_block(&v->k->asleep[v->first + 1]);
	return NULL;
}

static OW_NOINLINE void *ow_victim_main(void *arg)
{
	const struct victim *v = arg;

	wl_thread(victim_second, arg);
	truth_begin(v->k->board, v->k->roles[v->first]);
	ow_kill_block(&v->k->asleep[v->first]);
	return NULL;
}

static OW_NOINLINE void *ow_killer_main(void *arg)
{
	static const int numbers[] = { SIGKILL, SIGTERM, SIGINT, SIGHUP };
	struct killing *k = arg;

	truth_begin(k->board, k->killer);
	for (int i = 0; i < k->cnt; i++) {
		for (int j = 0; j < 2; j++) {
			while (!atomic_load(&k->asleep[2 * i + j]))
				truth_pause_us(100);
			truth_wait_asleep(k->roles[2 * i + j]);
		}
		ow_kill(k->roles[2 * i]->tgid, numbers[i % 4]);
		for (int j = 0; j < 2; j++) {
			k->roles[2 * i + j]->sleeps = 1;
			atomic_store(&k->roles[2 * i + j]->state, TRUTH_EXITED);
		}
	}
	truth_park(k->killer);
}

void wl_killed(struct wl *wl)
{
	struct killing *k = wl_shared(sizeof(*k));
	struct victim *victims = wl_shared(VICTIMS_MAX * sizeof(*victims));
	char name[16];

	k->board = wl->board;
	k->cnt = (int)wl_arg(wl, 0, 8);
	if (k->cnt > VICTIMS_MAX)
		exit(1);
	for (int i = 0; i < 2 * k->cnt; i++) {
		snprintf(name, sizeof(name), "ow-victim-%d", i / 2);
		k->roles[i] =
			truth_role_add(wl->board, name, "ow_kill_block", "ow_kill", "ow-killer");
	}
	k->killer = truth_role_add(wl->board, "ow-killer", "-", "-", "-");
	for (int i = 0; i < k->cnt; i++) {
		victims[i] = (struct victim){ k, 2 * i };
		wl_process(wl, ow_victim_main, &victims[i]);
	}
	wl_process(wl, ow_killer_main, k);
}
