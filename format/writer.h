/* SPDX-License-Identifier: Apache-2.0 */
/*
 * writer.h - makes a recording, strictly forward.
 *
 * Records are buffered until owt_writer_end_slice() writes them as one run of chunks; what a
 * slice holds is committed by its SLICE_END. The first slice may hold no row (meta, kernel
 * symbols). Interning functions give the same id for the same content and write a definition
 * once per recording.
 *
 * All functions return 0 or a negative code and fill err where they take one. After a write
 * error the writer refuses everything but owt_writer_free(); the bytes written until then,
 * up to the last committed slice, are a readable recording.
 */
#ifndef OWT_WRITER_H
#define OWT_WRITER_H

#include "base.h"
#include "err.h"
#include "types.h"

struct owt_writer;

/*
 * Where the bytes go. write() takes all n bytes or fails with -errno; it deals with short
 * writes and EINTR itself. owt_fd_write() below is one.
 */
struct owt_sink {
	int (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
};

/* A sink for a file descriptor: ctx is a pointer to the int; waits where it is non-blocking. */
int owt_fd_write(void *ctx, const void *bytes, size_t n);

/*
 * Puts /dev/null where stdin, stdout or stderr are closed: a file opened later would take
 * their place, and messages would go into it. 0 or -errno.
 */
int owt_keep_standard_fds(void) OWT_MUST_CHECK;

struct owt_writer_opts {
	uint8_t file_id[16];		/* random, not all zero */
	uint16_t arch;			/* ELF e_machine of the recorded host */
	bool store;			/* do not compress: the bytes depend on the content alone */
	int level;			/* zstd level; 0 means the default, 3 */
};

/* Writes the header. The caller owns *out and ends it with owt_writer_free(). */
int owt_writer_open(struct owt_writer **out, const struct owt_writer_opts *opts,
		    const struct owt_sink *sink, struct owt_err *err) OWT_MUST_CHECK;

int owt_writer_meta(struct owt_writer *w, const char *key, const char *value,
		    struct owt_err *err) OWT_MUST_CHECK;
int owt_writer_string(struct owt_writer *w, const char *bytes, size_t len, uint32_t *out_id,
		      struct owt_err *err) OWT_MUST_CHECK;
/* addrs leaf first; cnt 0 for a stack that is absent or lost (status and error say which). */
int owt_writer_stack(struct owt_writer *w, const uint64_t *addrs, size_t cnt, unsigned status,
		     unsigned error, uint32_t *out_id, struct owt_err *err) OWT_MUST_CHECK;
int owt_writer_thread(struct owt_writer *w, const struct owt_thread *thread, uint32_t *out_id,
		      struct owt_err *err) OWT_MUST_CHECK;
/* These three are not interned: each call defines a new one. */
int owt_writer_module(struct owt_writer *w, const struct owt_module *module, uint32_t *out_id,
		      struct owt_err *err) OWT_MUST_CHECK;
int owt_writer_process(struct owt_writer *w, const struct owt_process *process, uint32_t *out_id,
		       struct owt_err *err) OWT_MUST_CHECK;
int owt_writer_mapping(struct owt_writer *w, const struct owt_mapping *mapping,
		       struct owt_err *err) OWT_MUST_CHECK;
/* In ascending order of address over the whole recording, or -EINVAL. */
int owt_writer_ksym(struct owt_writer *w, const struct owt_ksym *ksym,
		    struct owt_err *err) OWT_MUST_CHECK;
/* Not interned. Its module or process is defined before, in this slice or an earlier one. */
int owt_writer_symbol(struct owt_writer *w, const struct owt_symbol *symbol,
		      struct owt_err *err) OWT_MUST_CHECK;
/* Not interned. Its thread is defined before. */
int owt_writer_account(struct owt_writer *w, const struct owt_account *account,
		       struct owt_err *err) OWT_MUST_CHECK;
int owt_writer_row(struct owt_writer *w, const struct owt_row *row,
		   struct owt_err *err) OWT_MUST_CHECK;

int owt_writer_end_slice(struct owt_writer *w, const struct owt_slice *slice,
			 struct owt_err *err) OWT_MUST_CHECK;
/* Writes END. Rows or records not yet in a slice are a bug of the caller: -EINVAL. */
int owt_writer_end(struct owt_writer *w, const struct owt_end *end,
		   struct owt_err *err) OWT_MUST_CHECK;

/* Whether the slice should be ended soon, because its size is limited. */
bool owt_writer_slice_is_half_full(const struct owt_writer *w);

/* Bytes handed to the sink so far; number of rows and stacks defined so far. */
uint64_t owt_writer_bytes(const struct owt_writer *w);
uint64_t owt_writer_rows(const struct owt_writer *w);
uint64_t owt_writer_stacks(const struct owt_writer *w);

/* Frees without writing. Accepts null. */
void owt_writer_free(struct owt_writer *w);

#endif
