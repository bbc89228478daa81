/* SPDX-License-Identifier: Apache-2.0 */
/*
 * maps.h - which mapping of a process covers an address.
 */
#ifndef REP_MAPS_H
#define REP_MAPS_H

#include "trace.h"

struct rep_maps;

/* Whose addresses: a process image of the recording, or any of a tgid when process is 0. */
struct rep_image {
	uint32_t tgid, process;
};

/* The trace and the budget must outlive it. Null when memory is short. */
struct rep_maps *rep_maps_new(const struct rep_trace *trace, struct rep_budget *budget);

/*
 * The mapping of the image that covers addr; of overlapping mappings the later one. Where it
 * is not known which of a tgid's images is meant, the newest of the last 64 that has one.
 * *out is null when there is none. 0 or -ENOMEM.
 */
int rep_maps_find(struct rep_maps *maps, struct rep_image image, uint64_t addr,
		  const struct owt_mapping **out) OWT_MUST_CHECK;

/* Accepts null. */
void rep_maps_free(struct rep_maps *maps);

#endif
