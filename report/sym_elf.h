/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sym_elf.h - names of addresses in a mapped file, from the file itself: only if it is a
 * regular file, and only after its build-id was found to be the recorded one. The file is
 * parsed in a worker process.
 */
#ifndef REP_SYM_ELF_H
#define REP_SYM_ELF_H

#include "base.h"
#include "types.h"

enum rep_elf_outcome {
	REP_ELF_READ,	     /* the names are what the file has */
	REP_ELF_NO_FILE,     /* nothing at that path that may be opened */
	REP_ELF_OTHER_BUILD, /* its build-id differs from the recorded one */
	REP_ELF_FAILED	     /* not an ELF file, damaged, or the worker died over it */
};

struct rep_elf_request {
	const char *symfs; /* directory under which path is looked up */
	struct owt_string path;
	const uint8_t *build_id;
	size_t build_id_len;	/* not 0 */
	const uint64_t *vaddrs; /* ascending */
	size_t vaddr_cnt;
};

/*
 * Called for each address with a name, in ascending order of its index; offset is from the
 * start of the symbol. 0 or negative.
 */
typedef int rep_elf_name_fn(void *ctx, size_t index, const char *name, size_t len, uint64_t offset);

/* 0 and *out_outcome, or what fn returned. Nothing is named unless all of it could be read. */
int rep_elf_names(const struct rep_elf_request *request, rep_elf_name_fn *fn, void *ctx,
		  enum rep_elf_outcome *out_outcome) OWT_MUST_CHECK;

#endif
