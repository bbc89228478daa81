/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demangle.h - C++ and Rust names as their programmers wrote them. Mangled names come from
 * files and recordings that nobody vouches for: the demangler runs in a worker process, which
 * may die or be stopped without losing more than the name it failed on.
 */
#ifndef REP_DEMANGLE_H
#define REP_DEMANGLE_H

#include "pool.h"

/* Longer names, mangled or not, are left alone. */
#define REP_DEMANGLE_MAX 65536u

/* True for a name that looks like a mangled one. */
bool rep_is_mangled(const char *name, size_t len);

/*
 * Replaces text ids of mangled names by those of readable ones; where there is none, or it
 * took too long, and for 0 and other names, an id stays. 0 or -ENOMEM.
 */
int rep_demangle(struct rep_pool *texts, struct rep_budget *budget, uint32_t *names,
		 size_t cnt) OWT_MUST_CHECK;

#endif
