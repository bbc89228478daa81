/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symbolize.h - stacks of addresses become stacks of names.
 *
 * First every stack that will be shown is asked for, then rep_symbols_resolve() looks all of
 * them up at once, so that each file is read once; then the names can be had.
 *
 * A frame's name is its symbol: "vfs_read", "xfs_read [xfs]". Where there is none it is
 *   libc.so.6+0x1d5f   no symbol there, no file with the recorded build-id, or none recorded;
 *                      the number is the address in the file, as nm and addr2line take it
 *   [vdso]+0xa21       the kernel's own mappings, and [anon]: the offset in the mapping
 *   [kernel]+0xffff... kernel text that no recorded symbol covers: the address
 *   [unknown]          no mapping is known there, or the recording has no kernel symbols
 */
#ifndef REP_SYMBOLIZE_H
#define REP_SYMBOLIZE_H

#include "maps.h"
#include "pool.h"
#include "trace.h"

/* Why a frame has no symbol; values index rep_symbols_stats.unresolved. */
enum rep_unresolved {
	REP_UNRES_NO_MAPPING,
	REP_UNRES_ANONYMOUS,
	REP_UNRES_NO_BUILD_ID,
	REP_UNRES_NO_FILE,
	REP_UNRES_OTHER_BUILD,
	REP_UNRES_BAD_FILE,
	REP_UNRES_NO_SYMBOL,
	REP_UNRES_NO_KSYMS,
	REP_UNRES_CNT
};

/* Words for people: "file not found". */
const char *rep_unresolved_text(unsigned why);

/* Whose address it is. */
enum rep_space { REP_SPACE_USER, REP_SPACE_KERNEL };

/* All that is known of a frame. No padding. */
struct rep_frame {
	uint64_t addr;	  /* as recorded */
	uint64_t vaddr;	  /* in the module's own terms, where there is a module */
	uint64_t offset;  /* from the symbol's start to addr, where there is a symbol */
	uint32_t name;	  /* text id: what people see */
	uint32_t symbol;  /* text id; 0: none, then why says so */
	uint32_t mangled; /* text id of the symbol as its file has it; 0: as symbol */
	uint32_t module;  /* module id in user space; 0: not in a file */
	uint32_t ksym;	  /* 1 + index of the kernel symbol; 0: none */
	uint16_t why;	  /* enum rep_unresolved */
	uint16_t space;	  /* enum rep_space */
};

/* Distinct frames (process and address) of all stacks asked for. */
struct rep_symbols_stats {
	uint64_t frames, resolved, unresolved[REP_UNRES_CNT];
};

struct rep_symbols;

/*
 * Trace, texts and budget must outlive it. texts takes the names of frames and sequences of
 * them; symfs is the directory below which files are looked up. Null when memory is short.
 */
struct rep_symbols *rep_symbols_new(const struct rep_trace *trace, const char *symfs,
				    struct rep_pool *texts, struct rep_budget *budget);

/* Asks for a stack; the image matters in user space only. 0 or -ENOMEM. */
int rep_symbols_want(struct rep_symbols *s, enum rep_space space, struct rep_image image,
		     uint32_t stack) OWT_MUST_CHECK;

/* Looks up all that was asked for. 0 or -ENOMEM. */
int rep_symbols_resolve(struct rep_symbols *s) OWT_MUST_CHECK;

/* Makes C++ and Rust symbols readable. 0 or -ENOMEM. */
int rep_symbols_demangle(struct rep_symbols *s) OWT_MUST_CHECK;

/*
 * A frame that was asked for. Addresses count as return addresses, so that the symbol is that
 * of the byte before.
 */
const struct rep_frame *rep_symbols_frame(const struct rep_symbols *s, enum rep_space space,
					  struct rep_image image, uint64_t addr);

const struct rep_symbols_stats *rep_symbols_stats(const struct rep_symbols *s);

/* Accepts null. */
void rep_symbols_free(struct rep_symbols *s);

#endif
