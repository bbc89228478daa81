/* SPDX-License-Identifier: Apache-2.0 */
/*
 * output.h - the file or pipe a recording goes to.
 */
#ifndef REC_OUTPUT_H
#define REC_OUTPUT_H

#include <sys/types.h>
#include "base.h"
#include "err.h"

struct rec_output {
	int fd;		  /* -1: not open */
	const char *path; /* as the user gave it; outlives this */
	bool is_ours;	  /* a file we created: removed or cut back when recording fails */
	int signal_fd;	  /* where a wish to stop arrives while a reader stalls; -1: nowhere */
};

/*
 * An owt_sink's write; ctx is the struct rec_output. Once a signal waits in signal_fd, the
 * reader of a pipe has STALL_MS to take what is written: -ETIMEDOUT after that.
 */
int rec_output_write(void *ctx, const void *bytes, size_t n);

/*
 * "-" is stdout, refused when that is a terminal. A file is created anew with mode 0600,
 * never through a symbolic link. A recording of that name is renamed to FILE.old first (in
 * place of a recording only), an empty file replaced; anything else of that name is refused and
 * left alone, and so is a recording that is still being written. The file is locked (flock)
 * until it is closed.
 */
int rec_output_open(const char *path, struct rec_output *out, struct owt_err *err) OWT_MUST_CHECK;

/* Flushes to disk and closes. */
int rec_output_close(struct rec_output *o, struct owt_err *err) OWT_MUST_CHECK;

/* What helps against a failed write; null when code (negative errno) is of another kind. */
const char *rec_output_cure(int code);

/*
 * After a failure: keeps the first kept_bytes of a file of ours, removes it when that is 0.
 * Closes in any case.
 */
void rec_output_abandon(struct rec_output *o, uint64_t kept_bytes);

#endif
