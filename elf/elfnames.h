/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfnames.h - the functions that cover addresses of an ELF file. The file is parsed in a
 * child process without privileges, which may die over it; what it answers is not trusted.
 */
#ifndef ELW_ELFNAMES_H
#define ELW_ELFNAMES_H

#include "base.h"

/* Longer names are cut. */
#define ELW_NAME_MAX 65536u

enum elw_outcome {
	ELW_READ,	 /* the functions are what the file has */
	ELW_OTHER_BUILD, /* its build-id differs from the one asked for */
	ELW_FAILED	 /* not an ELF file, damaged, or the child died over it */
};

struct elw_request {
	const uint8_t *build_id; /* what the file must have; null: any */
	size_t build_id_len;
	const uint64_t *vaddrs; /* ascending, in the file's terms */
	size_t vaddr_cnt;
};

/* Covers [addr, addr + size), at least 1; name is len bytes without a terminator. */
struct elw_symbol {
	uint64_t addr, size;
	const char *name;
	size_t len;
};

/* Called for each address that a function covers, in ascending order of its index. */
typedef int elw_symbol_fn(void *ctx, size_t index, const struct elw_symbol *symbol);

/*
 * Symbols are those of .symtab, .dynsym and .gnu_debugdata. 0 and *out_outcome, or what fn
 * returned. fn is called only if all of the answer was whole.
 */
int elw_names(int fd, const struct elw_request *request, elw_symbol_fn *fn, void *ctx,
	      enum elw_outcome *out_outcome) OWT_MUST_CHECK;

#endif
