/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - the kernel programs: configured, loaded, attached, stopped.
 */
#ifndef REC_SESSION_H
#define REC_SESSION_H

#include "base.h"
#include "err.h"
#include "kallsyms.h"
#include "record_opts.h"
#include "wire.h"

struct rec_session;

/* Loads the programs; nothing runs yet. */
int rec_session_open(const struct rec_opts *opts, const struct rec_kallsyms *kallsyms,
		     struct rec_session **out, struct owt_err *err) OWT_MUST_CHECK;

/*
 * Attaches, finds the threads that are off CPU already, and starts the recording. command_tgid
 * is the process to follow with REC_COMMAND, else 0; helper_tgids count as the recorder, 0 is
 * none. The programs end the recording themselves after duration_ns (0: never), however late we
 * are. *out_start_ns is when it began.
 */
int rec_session_start(struct rec_session *s, uint32_t command_tgid,
		      const uint32_t helper_tgids[OW_HELPERS], uint64_t duration_ns,
		      uint64_t *out_start_ns, struct owt_err *err) OWT_MUST_CHECK;

/* The user stacks of threads that were off CPU before the recording began. */
struct rec_session_sleepers {
	bool can_walk; /* this kernel lends a thread's memory, and took our program */
	uint64_t walked, took_ns;
	uint64_t open_ns; /* what it took to see, at the end, who was still off CPU */
};
struct rec_session_sleepers rec_session_sleepers(const struct rec_session *s);

/*
 * The recording ends now, if its duration has not ended it before. Intervals that are still open are put into rows, by an iterator or by
 * their threads' next switch, whichever comes first; then the programs are detached. What is
 * in the rows then is all. *out_stop_ns is when it ended, also on failure.
 */
int rec_session_stop(struct rec_session *s, uint64_t *out_stop_ns,
		     struct owt_err *err) OWT_MUST_CHECK;

/*
 * Gives the programs the other row map; when this returns the map whose descriptor is *out_fd
 * is quiet and the caller's to empty, until the next call.
 */
int rec_session_flip(struct rec_session *s, int *out_fd, struct owt_err *err) OWT_MUST_CHECK;

/* Whether the row map that is being filled is more than half full. */
bool rec_session_rows_press(const struct rec_session *s);

int rec_session_ring_fd(const struct rec_session *s);
uint32_t rec_session_ring_bytes(const struct rec_session *s);
/* The ring is about to be read: who waits for it may be woken again. */
void rec_session_ring_read(struct rec_session *s);

/* With opts->reconcile: the ring of threads that ended, each a struct ow_account. */
int rec_session_account_ring_fd(const struct rec_session *s);
/*
 * The threads that were there at the end; *out stays the session's. Whole after
 * rec_session_stop(), none before.
 */
size_t rec_session_accounts(const struct rec_session *s, const struct ow_account **out);

/* What the kernel took for tables and rings, in bytes: as far as it tells. */
uint64_t rec_session_kernel_bytes(const struct rec_session *s);

/* Sums over the CPUs, since the programs were loaded. */
int rec_session_counters(const struct rec_session *s, struct ow_count out[OW_CNT_CNT],
			 struct owt_err *err) OWT_MUST_CHECK;
/* Events for which the kernel skipped a program because it was running on that CPU already. */
uint64_t rec_session_missed(const struct rec_session *s);

/* Since when struct ow_who's instants tell each change of mappings; 0: they tell of execs only. */
uint64_t rec_session_notes_since(const struct rec_session *s);
/* A program that events run, and what the kernel measured of it while it was told to. */
struct rec_program {
	const char *name; /* the session's */
	uint64_t runs, run_ns;
};
#define REC_PROGRAMS_MAX 16
/* How many there are, always in the same order. */
size_t rec_session_programs(const struct rec_session *s, struct rec_program out[REC_PROGRAMS_MAX]);

/* Whether addr lies in our own programs or in the kernel's tracing entry to them. */
bool rec_session_is_own_text(const struct rec_session *s, uint64_t addr);

void rec_session_free(struct rec_session *s);

#endif
