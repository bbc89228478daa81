/* SPDX-License-Identifier: Apache-2.0 */
/*
 * columns.h - a payload: records of one kind, field by field.
 *
 *	record count, column count, length of each column in bytes, columns
 *
 * All counts and lengths are LEB128. What a column holds is said by the chunk's type.
 */
#ifndef OWT_COLUMNS_H
#define OWT_COLUMNS_H

#include "base.h"
#include "bytes.h"
#include "err.h"
#include "layout.h"

#define OWT_COLUMNS_USED 18 /* of the widest chunk type that is written */
/* A payload is at most this much longer than its columns. */
#define OWT_COLUMNS_HEAD ((2 + OWT_COLUMNS_USED) * OWT_LEB_MAX)

struct owt_chunk_def {
	const char *name;   /* "ROWS" */
	const char *record; /* "row" */
	unsigned column_cnt;
	const char *columns[OWT_COLUMNS_USED]; /* names */
};

/* Null for a type that this version does not know. */
const struct owt_chunk_def *owt_chunk_def(uint32_t type);
/* "ROWS", or "unknown"; never null. */
const char *owt_chunk_name(uint32_t type);

/* Payload under construction. */
struct owt_colw {
	uint64_t record_cnt;
	size_t bytes; /* in all columns */
	struct owt_buf col[OWT_COLUMNS_USED];
};

int owt_colw_leb(struct owt_colw *w, unsigned col, uint64_t v) OWT_MUST_CHECK;
int owt_colw_fixed64(struct owt_colw *w, unsigned col, uint64_t v) OWT_MUST_CHECK;
int owt_colw_bytes(struct owt_colw *w, unsigned col, const void *bytes, size_t n) OWT_MUST_CHECK;
/* Appends the payload to *to and empties the columns, which keep their memory. */
int owt_colw_finish(struct owt_colw *w, unsigned column_cnt, struct owt_buf *to) OWT_MUST_CHECK;
void owt_colw_done(struct owt_colw *w);

/* Payload that is read; borrows the bytes. */
struct owt_colr {
	const struct owt_chunk_def *def;
	uint64_t record_cnt, record_next; /* record_next counts what was begun */
	struct owt_cursor col[OWT_COLUMNS_USED];
	struct owt_err err; /* the first fault */
};

/*
 * Takes the head apart. newer: the chunk's type version is newer than ours, so that columns
 * which we do not know may follow ours. 0, or -OWT_E_INVALID and r->err.
 */
int owt_colr_init(struct owt_colr *r, const struct owt_chunk_def *def, bool newer,
		  const uint8_t *bytes, size_t n) OWT_MUST_CHECK;
/* 0, or -OWT_E_INVALID and r->err when bytes of a column are left. */
int owt_colr_finish(struct owt_colr *r) OWT_MUST_CHECK;

/*
 * The next value of a column. After a fault, which r->err keeps, all of them give 0 or null:
 * check r->err.code once per record.
 */
uint64_t owt_colr_leb(struct owt_colr *r, unsigned col);
uint64_t owt_colr_max(struct owt_colr *r, unsigned col, uint64_t max);
uint64_t owt_colr_fixed64(struct owt_colr *r, unsigned col);
const uint8_t *owt_colr_bytes(struct owt_colr *r, unsigned col, size_t n);

#endif
