/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procs.h - the processes that stacks belong to, and their executable mappings, read from
 * /proc when first seen and again when a stack holds an address that no mapping covers.
 */
#ifndef REC_PROCS_H
#define REC_PROCS_H

#include "base.h"
#include "err.h"
#include "modules.h"
#include "writer.h"

struct rec_procs;

int rec_procs_new(struct owt_writer *w, struct rec_modules *modules,
		  struct rec_procs **out) OWT_MUST_CHECK;

/*
 * tgid appears in a row or owns a user stack with these addresses (cnt 0: none known).
 * Describes it in the recording if that is needed now, or notes it for rec_procs_again().
 */
int rec_procs_see(struct rec_procs *p, uint32_t tgid, const uint64_t *addrs, size_t cnt,
		  struct owt_err *err) OWT_MUST_CHECK;

/*
 * Reads the mappings again of those processes that held unknown addresses and were read too
 * lately to be read at once. Called now and then, and before the end.
 */
int rec_procs_again(struct rec_procs *p, struct owt_err *err) OWT_MUST_CHECK;

/* Processes that were gone before their mappings could be read. */
uint64_t rec_procs_lost(const struct rec_procs *p);

void rec_procs_free(struct rec_procs *p);

#endif
