/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kallsyms.h - the kernel's text symbols, from the text of /proc/kallsyms.
 */
#ifndef REC_KALLSYMS_H
#define REC_KALLSYMS_H

#include "base.h"
#include "err.h"

struct rec_kallsyms;

struct rec_ksym {
	uint64_t addr;
	const char *name;   /* terminated, lives as long as the table */
	const char *module; /* "" for the kernel itself */
	char type;
};

/*
 * Parses text (lines "address type name [module]"), keeping text symbols (t T w W) in order of
 * address. Lines of another shape are skipped: the kernel's list is never refused for one. The
 * table takes text over, also on failure: it points into it. 0, -ENOMEM, or -ENODATA when no
 * symbol with an address was found (kptr_restrict hides them as zeros).
 */
int rec_kallsyms_parse(char *text, size_t len, struct rec_kallsyms **out) OWT_MUST_CHECK;

/* Reads and parses /proc/kallsyms. */
int rec_kallsyms_load(struct rec_kallsyms **out, struct owt_err *err) OWT_MUST_CHECK;

size_t rec_kallsyms_cnt(const struct rec_kallsyms *k);
const struct rec_ksym *rec_kallsyms_at(const struct rec_kallsyms *k, size_t i);

/* [*out_start, *out_end) of a kernel symbol by name; its end is the next address. */
bool rec_kallsyms_find(const struct rec_kallsyms *k, const char *name, uint64_t *out_start,
		       uint64_t *out_end);

/* The symbol that covers addr; null when addr lies before the first. */
const struct rec_ksym *rec_kallsyms_cover(const struct rec_kallsyms *k, uint64_t addr);

void rec_kallsyms_free(struct rec_kallsyms *k);

#endif
