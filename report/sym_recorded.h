/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sym_recorded.h - functions that the recording itself names.
 */
#ifndef REP_SYM_RECORDED_H
#define REP_SYM_RECORDED_H

#include "trace.h"

struct rep_recorded;

/* Trace and budget must outlive it. Null when memory is short. */
struct rep_recorded *rep_recorded_new(const struct rep_trace *trace, struct rep_budget *budget);

/*
 * The function of a module (process 0), or of code that a process made (module 0), which
 * covers addr: of several the one that begins last. Null when there is none.
 */
const struct owt_symbol *rep_recorded_find(const struct rep_recorded *r, uint32_t module,
					   uint32_t process, uint64_t addr);

/* Accepts null. */
void rep_recorded_free(struct rep_recorded *r);

#endif
