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
 * Readable names for the text ids of cnt mangled ones; where there is none, or it took too
 * long, the name itself. 0 or -ENOMEM.
 */
int rep_demangle(struct rep_pool *texts, const uint32_t *names, size_t cnt,
		 uint32_t *out_names) OWT_MUST_CHECK;

#endif
