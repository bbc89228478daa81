/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bpfstats.h - what the kernel programs cost, by the kernel's own measure. Measuring costs, too,
 * so it is on in short windows only; where somebody has it on all the time, that is used.
 */
#ifndef REC_BPFSTATS_H
#define REC_BPFSTATS_H

#include "base.h"
#include "session.h"
#include "statshelper.h"

enum rec_bpfstats_how { REC_STATS_SAMPLED, REC_STATS_ALWAYS, REC_STATS_REFUSED };

struct rec_bpfstats {
	struct rec_statshelper *helper;
	enum rec_bpfstats_how how;
	int fd; /* the kernel measures while it is open; -1 */
	uint64_t next_ns, open_ns;
	struct rec_program before[REC_PROGRAMS_MAX];
	struct rec_program sums[REC_PROGRAMS_MAX]; /* within the windows */
	size_t program_cnt;
	uint64_t windows, window_ns; /* number, and their length together */
};

/* The recording begins; the first window opens a little later. The helper must outlive b. */
void rec_bpfstats_begin(struct rec_bpfstats *b, struct rec_statshelper *helper,
			const struct rec_session *s, uint64_t now_ns);
/* Opens or closes a window when it is time; to be called every 50 ms or so. */
void rec_bpfstats_step(struct rec_bpfstats *b, const struct rec_session *s, uint64_t now_ns);
/* Closes what is open: the recording ends, whether the programs are attached still or not. */
void rec_bpfstats_end(struct rec_bpfstats *b, const struct rec_session *s, uint64_t now_ns);

#endif
