/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfnamer.h - a helper process that has given up its privileges before it is needed, and starts
 * a child for each ELF file: for a caller who by then cannot give up or change anything.
 */
#ifndef ELW_ELFNAMER_H
#define ELW_ELFNAMER_H

#include <sys/types.h>
#include "elfnames.h"
#include "elfworker.h"

struct elw_namer;

/* Starts it. It ignores SIGINT, SIGTERM and SIGHUP, and ends with the caller. */
int elw_namer_start(struct elw_namer **out) OWT_MUST_CHECK;

pid_t elw_namer_pid(const struct elw_namer *n);

/*
 * As elw_names(), of any build. -ETIMEDOUT when the patience is over: whatever hangs ends with
 * the namer.
 */
int elw_namer_names(struct elw_namer *n, int fd, const struct elw_request *request,
		    const struct elw_patience *patience, elw_symbol_fn *fn, void *ctx,
		    enum elw_outcome *out_outcome) OWT_MUST_CHECK;

/* Ends it and what it started. Accepts null. */
void elw_namer_free(struct elw_namer *n);

#endif
