/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps.h - which mapping of a process covers an address.
 */
#ifndef REP_MAPS_H
#define REP_MAPS_H

#include "trace.h"

struct rep_maps;

/* The trace and the budget must outlive it. Null when memory is short. */
struct rep_maps *rep_maps_new(const struct rep_trace *trace, struct rep_budget *budget);

/*
 * The mapping of the process tgid that covers addr. Of several images of one tgid the newest
 * that has one; of overlapping mappings the later one. *out is null when there is none. 0 or
 * -ENOMEM.
 */
int rep_maps_find(struct rep_maps *maps, uint32_t tgid, uint64_t addr,
		  const struct owt_mapping **out) OWT_MUST_CHECK;

/* Accepts null. */
void rep_maps_free(struct rep_maps *maps);

#endif
