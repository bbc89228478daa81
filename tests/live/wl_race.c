/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sleep that is cut off before it begins, then one that is real.
 *
 * In odd rounds the sleeper first waits on a word that thread A changes and wakes at about
 * the instant of the wait. A hits when the wait reports the wake although the sleeper has not
 * left the CPU: it was between setting its state and switching out. The wait has a timeout,
 * because starting the timer makes that window a microsecond wide; A's delay is steered
 * towards it. In even rounds the timer itself is A: a sleep until an instant that has passed
 * is ended by an interrupt on the sleeper's own CPU before it can switch out. Then the sleeper
 * waits on another word, which only thread B wakes, a millisecond later. For that wait A is
 * never the right answer; whoever keeps the first waker it sees names A.
 */
#include "wl.h"

struct race {
	struct truth_board *board;
	struct truth_role *cut_role, *past_role, *real_role, *a_role, *b_role, *b_pause_role;
	uint64_t rounds;
	int edge;
	_Atomic int call_a, a_ready, entering, cut,
		a_done;				 /* the first wait; words hold the round */
	_Atomic int call_b, b_called, real_word; /* the second */
	_Atomic int delay;			 /* A's, in turns of its loop */
};

static OW_NOINLINE long ow_cut_block(_Atomic int *word, int value)
{
	struct timespec timeout = { .tv_nsec = 800000 };
	long ret;

	OW_FRAME();
	ret = ow_sys4(SYS_futex, (long)word, FUTEX_WAIT, value, (long)&timeout);
	OW_KEEP();
	return ret;
}

static OW_NOINLINE void ow_past_block(void)
{
	struct timespec past = { .tv_sec = 1 };

	OW_FRAME();
	ow_sys4(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&past, 0);
	OW_KEEP();
}

static OW_NOINLINE void ow_cut_wake(_Atomic int *word, int value)
{
	OW_FRAME();
	atomic_store(word, value);
	ow_futex_wake(word, 1);
	OW_KEEP();
}

static OW_NOINLINE void ow_real_block(_Atomic int *word, int round)
{
	OW_FRAME();
	while (atomic_load(word) != round)
		ow_futex_wait(word, round - 1);
	OW_KEEP();
}

static OW_NOINLINE void ow_real_wake(_Atomic int *word, int round)
{
	OW_FRAME();
	atomic_store(word, round);
	ow_futex_wake(word, 1);
	OW_KEEP();
}

static OW_NOINLINE void ow_call_helper(_Atomic int *word, int round)
{
	OW_FRAME();
	atomic_store(word, round);
	ow_futex_wake(word, 1);
	OW_KEEP();
}

static OW_NOINLINE void ow_await_call(_Atomic int *word, int round)
{
	int seen;

	OW_FRAME();
	while ((seen = atomic_load(word)) != round)
		ow_futex_wait(word, seen);
	OW_KEEP();
}

/*
 * Later when A came before the wait, earlier when the sleeper was gone already. A hit makes A
 * later by edge: with that it stays where it comes just when the sleeper goes.
 */
static void steer(struct race *r, long ret, int slept)
{
	int delay = atomic_load(&r->delay);

	if (ret == -EAGAIN)
		delay += 20;
	else if (slept)
		delay -= 15;
	else if (ret == 0)
		r->cut_role->hits++, delay += r->edge;
	atomic_store(&r->delay, delay < 0 ? 0 : delay);
}

static OW_NOINLINE void ow_cut_sleep(struct race *r, int round)
{
	struct truth_probe probe;
	uint64_t before = r->cut_role->sleeps;
	int last = atomic_load(&r->cut);
	long ret;

	ow_call_helper(&r->call_a, round);
	while (atomic_load(&r->a_ready) != round)
		OW_KEEP();
	truth_before(r->cut_role, &probe);
	atomic_store(&r->entering, round);
	ret = ow_cut_block(&r->cut, last);
	truth_after(r->cut_role, &probe);
	/* See truth_begin(): only now can A no longer wake this thread. */
	while (atomic_load(&r->a_done) != round)
		OW_KEEP();
	steer(r, ret, r->cut_role->sleeps != before);
}

static OW_NOINLINE void ow_past_sleep(struct race *r)
{
	struct truth_probe probe;
	uint64_t before = r->past_role->sleeps;

	truth_before(r->past_role, &probe);
	ow_past_block();
	truth_after(r->past_role, &probe);
	r->past_role->hits += r->past_role->sleeps == before;
}

static OW_NOINLINE void *ow_race_main(void *arg)
{
	struct race *r = arg;
	struct truth_probe probe;

	truth_pin(0);
	if (r->edge)
		truth_hurry();
	truth_also(r->past_role);
	truth_also(r->real_role);
	truth_begin(r->board, r->cut_role);
	for (int i = 1; i <= (int)r->rounds; i++) {
		if (i % 2)
			ow_cut_sleep(r, i);
		else
			ow_past_sleep(r);
		ow_call_helper(&r->call_b, i);
		atomic_store(&r->b_called, i);
		truth_before(r->real_role, &probe);
		ow_real_block(&r->real_word, i);
		truth_after(r->real_role, &probe);
	}
	truth_exit(r->past_role);
	truth_exit(r->real_role);
	truth_park(r->cut_role);
}

/* The helpers' own sleep: until the sleeper calls them. */
static OW_NOINLINE void await_call(struct truth_role *role, _Atomic int *word, int round)
{
	struct truth_probe probe;

	truth_before(role, &probe);
	ow_await_call(word, round);
	truth_after(role, &probe);
}

static OW_NOINLINE void *ow_race_a(void *arg)
{
	struct race *r = arg;

	truth_pin((int)sysconf(_SC_NPROCESSORS_ONLN) - 1);
	if (r->edge)
		truth_hurry();
	truth_begin(r->board, r->a_role);
	for (int i = 1; i <= (int)r->rounds; i += 2) {
		await_call(r->a_role, &r->call_a, i);
		atomic_store(&r->a_ready, i);
		while (atomic_load(&r->entering) != i)
			OW_KEEP();
		for (int turn = atomic_load(&r->delay); turn > 0; turn--)
			OW_KEEP();
		ow_cut_wake(&r->cut, i);
		atomic_store(&r->a_done, i);
	}
	truth_park(r->a_role);
}

static OW_NOINLINE void *ow_race_b(void *arg)
{
	struct race *r = arg;
	struct truth_probe probe;

	truth_also(r->b_pause_role);
	truth_begin(r->board, r->b_role);
	for (int i = 1; i <= (int)r->rounds; i++) {
		await_call(r->b_role, &r->call_b, i);
		while (atomic_load(&r->b_called) != i)
			OW_KEEP();
		truth_before(r->b_pause_role, &probe);
		truth_pause_us(1000);
		truth_after(r->b_pause_role, &probe);
		ow_real_wake(&r->real_word, i);
	}
	truth_exit(r->b_pause_role);
	truth_park(r->b_role);
}

void wl_aborted(struct wl *wl)
{
	struct race *r = wl_shared(sizeof(*r));
	struct truth_board *board = wl->board;

	r->board = board;
	r->rounds = wl_arg(wl, 0, 500);
	r->edge = (int)wl_arg(wl, 1, 0);
	r->cut_role = truth_role_add(board, "ow-racer", "ow_cut_block", "ow_cut_wake", "ow-a");
	r->past_role = truth_role_add(board, "ow-racer", "ow_past_block", "-", "-");
	r->real_role = truth_role_add(board, "ow-racer", "ow_real_block", "ow_real_wake", "ow-b");
	r->a_role = truth_role_add(board, "ow-a", "ow_await_call", "ow_call_helper", "ow-racer");
	r->b_role = truth_role_add(board, "ow-b", "ow_await_call", "ow_call_helper", "ow-racer");
	r->b_pause_role = truth_role_add(board, "ow-b", "truth_pause_us", "-", "-");
	wl_thread(ow_race_main, r);
	wl_thread(ow_race_a, r);
	wl_thread(ow_race_b, r);
}
