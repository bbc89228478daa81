/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.h - reads a recording, strictly forward, and trusts nothing in it.
 *
 * Records come one at a time from owt_reader_next(), only out of slices whose SLICE_END was
 * reached intact: what a reader has seen is what the recorder committed. Every id in a record
 * has been checked against what was defined before it; every enum is within its range; every
 * limit of layout.h holds.
 */
#ifndef OWT_READER_H
#define OWT_READER_H

#include "base.h"
#include "err.h"
#include "types.h"

struct owt_reader;

/* Reads at most n bytes: the count, 0 at the end, or -errno. owt_fd_read() below is one. */
struct owt_source {
	ptrdiff_t (*read)(void *ctx, void *bytes, size_t n);
	void *ctx;
};

/* A source for a file descriptor: ctx is a pointer to the int. Deals with EINTR. */
ptrdiff_t owt_fd_read(void *ctx, void *bytes, size_t n);

enum owt_record_type {
	OWT_REC_META,
	OWT_REC_STRING,
	OWT_REC_NODE,
	OWT_REC_STACK,
	OWT_REC_THREAD,
	OWT_REC_MODULE,
	OWT_REC_PROCESS,
	OWT_REC_MAPPING,
	OWT_REC_KSYM,
	OWT_REC_ROW,
	OWT_REC_SYMBOL,
	OWT_REC_ACCOUNT,
	OWT_REC_SLICE,		/* ends a slice: all records since the last one belong to it */
	OWT_REC_END
};

struct owt_record {
	enum owt_record_type type;
	uint32_t id;		/* of what is defined, where it has one; else 0 */
	union {
		struct owt_meta meta;
		struct owt_string string;
		struct owt_node node;
		struct owt_stack stack;
		struct owt_thread thread;
		const struct owt_module *module;
		struct owt_process process;
		struct owt_mapping mapping;
		struct owt_ksym ksym;
		struct owt_symbol symbol;
		struct owt_account account;
		struct owt_row row;
		struct owt_slice slice;
		struct owt_end end;
	};
};

/* What is known of the file itself. After the last record it tells how the file ended. */
struct owt_file_info {
	uint16_t major, minor, arch;
	uint8_t file_id[16];
	uint64_t bytes;			/* read so far */
	uint64_t chunks, slices;	/* committed so far */
	uint64_t unknown_chunks;	/* skipped: optional, of an unknown type */
	bool complete;			/* END was reached and nothing was wrong */
	uint64_t dropped_bytes;		/* after the last committed slice */
	char why_partial[256];		/* one sentence when not complete: what ended the reading */
};

/*
 * Reads and checks the header. On failure *out is untouched. The source must outlive the
 * reader. The caller ends *out with owt_reader_free().
 */
int owt_reader_open(struct owt_reader **out, const struct owt_source *source,
		    struct owt_err *err) OWT_MUST_CHECK;

/*
 * The next record: 1 and *out_record, 0 when there are no more, or a negative code. Strings
 * and pointers in it stay valid until the next call.
 *
 * A file that is cut short or damaged after its first slice is no failure: reading ends with
 * 0 after the last committed slice and owt_reader_info() says it is not complete. Without a
 * committed slice it is one (-OWT_E_TRUNCATED, -OWT_E_DAMAGED).
 */
int owt_reader_next(struct owt_reader *r, struct owt_record *out_record,
		    struct owt_err *err) OWT_MUST_CHECK;

const struct owt_file_info *owt_reader_info(const struct owt_reader *r);

/* Accepts null. */
void owt_reader_free(struct owt_reader *r);

#endif
