/* SPDX-License-Identifier: Apache-2.0 */
/*
 * statshelper.h - a process that keeps CAP_SYS_ADMIN for one purpose: the kernel measures the run
 * time of BPF programs while a descriptor is open that only CAP_SYS_ADMIN gets.
 */
#ifndef REC_STATSHELPER_H
#define REC_STATSHELPER_H

#include <sys/types.h>
#include "base.h"

struct rec_statshelper;

/* Starts it. It ignores SIGINT, SIGTERM and SIGHUP, and ends with the caller. */
int rec_statshelper_start(struct rec_statshelper **out) OWT_MUST_CHECK;

pid_t rec_statshelper_pid(const struct rec_statshelper *h);

/* As bpf_enable_stats(BPF_STATS_RUN_TIME): a descriptor, the caller's to close, or -errno. */
int rec_statshelper_open(struct rec_statshelper *h);

/* Ends it. Accepts null. */
void rec_statshelper_free(struct rec_statshelper *h);

#endif
