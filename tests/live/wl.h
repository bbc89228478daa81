/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wl.h - one workload: how it is started, and what all of them share.
 *
 * A workload adds its roles to the board and starts their threads or processes; main is the
 * supervisor that lets them go, waits, prints the truth and ends them.
 */
#ifndef OW_WL_H
#define OW_WL_H

#include <stdint.h>
#include <sys/types.h>

#include "truth.h"

#define WL_ARGS 3

struct wl {
	struct truth_board *board; /* shared memory */
	uint64_t args[WL_ARGS];	   /* from the command line */
	int arg_cnt;
	uint64_t alive_ms;  /* not 0: the roles never end, main does after this time */
	uint64_t linger_ms; /* main stays that long after all is over */
	pid_t children[TRUTH_ROLES_MAX];
	int child_cnt;
};

/* The i-th argument, or its default. */
uint64_t wl_arg(const struct wl *wl, int i, uint64_t def);
/* Zeroed memory shared by all processes of the workload; never freed, exits when none. */
void *wl_shared(size_t bytes);
/* Both exit with 1 on failure. A process is killed when its parent thread dies. */
void wl_thread(void *(*fn)(void *), void *arg);
void wl_process(struct wl *wl, void *(*fn)(void *), void *arg);

void wl_pipe(struct wl *wl);
void wl_futex(struct wl *wl);
void wl_condvar(struct wl *wl);
void wl_mutex(struct wl *wl);
void wl_nanosleep(struct wl *wl);
void wl_timeout(struct wl *wl);
void wl_naps(struct wl *wl);
void wl_spinner(struct wl *wl);
void wl_deadlock(struct wl *wl);
void wl_aborted(struct wl *wl);
void wl_exits(struct wl *wl);
void wl_fork_tree(struct wl *wl);
void wl_udp(struct wl *wl);
void wl_posed(struct wl *wl);
void wl_leaf(struct wl *wl);
void wl_fault(struct wl *wl);
void wl_tail(struct wl *wl);
void wl_deep(struct wl *wl);
void wl_siblings(struct wl *wl);
void wl_sleepers(struct wl *wl);
void wl_leaderless(struct wl *wl);
void wl_zombie(struct wl *wl);
void wl_vfork(struct wl *wl);
void wl_jit(struct wl *wl);
void wl_remap(struct wl *wl);
void wl_rename(struct wl *wl);
void wl_exec_under(struct wl *wl);
void wl_retid(struct wl *wl);
void wl_memfd(struct wl *wl);
void wl_storm(struct wl *wl);
void wl_kin(struct wl *wl);
void wl_renames(struct wl *wl);
void wl_asleep(struct wl *wl);
void wl_pty(struct wl *wl);
void wl_disk(struct wl *wl);
void wl_far(struct wl *wl);
void wl_bystander(struct wl *wl);
void wl_gone(struct wl *wl);
void wl_signals(struct wl *wl);
void wl_killed(struct wl *wl);
void wl_births(struct wl *wl);
/* What wl_gone executes: the status of a process. */
int wl_poke(void);

#endif
