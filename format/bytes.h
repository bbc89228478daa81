/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bytes.h - bytes in and out: fixed little-endian words, canonical LEB128 numbers, a cursor
 * that cannot leave its bounds and a buffer that cannot outgrow its ceiling.
 */
#ifndef OWT_BYTES_H
#define OWT_BYTES_H

#include "base.h"

#define OWT_LEB_MAX 10 /* bytes of the longest number */

static inline void owt_store_u16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void owt_store_u32(uint8_t *p, uint32_t v)
{
	owt_store_u16(p, (uint16_t)v);
	owt_store_u16(p + 2, (uint16_t)(v >> 16));
}

static inline void owt_store_u64(uint8_t *p, uint64_t v)
{
	owt_store_u32(p, (uint32_t)v);
	owt_store_u32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t owt_load_u16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t owt_load_u32(const uint8_t *p)
{
	return owt_load_u16(p) | (uint32_t)owt_load_u16(p + 2) << 16;
}

static inline uint64_t owt_load_u64(const uint8_t *p)
{
	return owt_load_u32(p) | (uint64_t)owt_load_u32(p + 4) << 32;
}

/* Differences of either sign as small numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static inline uint64_t owt_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

static inline uint64_t owt_unzigzag(uint64_t value)
{
	return value >> 1 ^ (0 - (value & 1));
}

/* Writes v in its shortest form: the number of bytes, 1 to OWT_LEB_MAX. */
size_t owt_leb_store(uint8_t *p, uint64_t v);

/* What remains to be read of bytes that the cursor only borrows. */
struct owt_cursor {
	const uint8_t *pos, *end;
};

static inline size_t owt_cursor_left(const struct owt_cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/* 0, -ENODATA (too few bytes), -EILSEQ (not the shortest form), -EOVERFLOW (over 64 bits). */
int owt_take_leb(struct owt_cursor *c, uint64_t *out) OWT_MUST_CHECK;
/* 0 or -ENODATA. The bytes stay where they are. */
int owt_take_fixed64(struct owt_cursor *c, uint64_t *out) OWT_MUST_CHECK;
int owt_take_bytes(struct owt_cursor *c, size_t n, const uint8_t **out) OWT_MUST_CHECK;

/* A growing buffer; zero-initialize, set max. */
struct owt_buf {
	uint8_t *bytes;
	size_t len, cap;
	size_t max; /* it never holds more; 0: no ceiling */
};

/* Room for n more bytes: 0, -ENOMEM or -EFBIG (over the ceiling). */
int owt_buf_reserve(struct owt_buf *b, size_t n) OWT_MUST_CHECK;
int owt_buf_add(struct owt_buf *b, const void *bytes, size_t n) OWT_MUST_CHECK;
int owt_buf_add_zeros(struct owt_buf *b, size_t n) OWT_MUST_CHECK;
int owt_buf_add_leb(struct owt_buf *b, uint64_t v) OWT_MUST_CHECK;
int owt_buf_add_fixed64(struct owt_buf *b, uint64_t v) OWT_MUST_CHECK;
/* Frees the bytes and empties it; the ceiling stays. */
void owt_buf_done(struct owt_buf *b);

#endif
