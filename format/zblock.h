/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zblock.h - the bytes of one chunk: packed into one zstd frame or stored, and back, below
 * ceilings that a hostile frame cannot lift.
 */
#ifndef OWT_ZBLOCK_H
#define OWT_ZBLOCK_H

#include "base.h"
#include "bytes.h"

/* CRC-32 as in zlib; start with crc 0, continue with the result. */
uint32_t owt_crc32(uint32_t crc, const void *bytes, size_t n);

struct owt_packer;

/* level 0 is the default. The caller ends *out with owt_packer_free(). */
int owt_packer_new(struct owt_packer **out, int level) OWT_MUST_CHECK;
void owt_packer_free(struct owt_packer *p);

/*
 * Appends raw to *to, compressed when that is smaller; *out_zstd says which. raw_len is at
 * most OWT_CHUNK_RAW_MAX. 0, -ENOMEM, -EFBIG (over the buffer's ceiling) or -EINVAL.
 */
int owt_pack(struct owt_packer *p, const void *raw, size_t raw_len, struct owt_buf *to,
	     bool *out_zstd) OWT_MUST_CHECK;

struct owt_unpacker;

int owt_unpacker_new(struct owt_unpacker **out) OWT_MUST_CHECK;
void owt_unpacker_free(struct owt_unpacker *u);

/*
 * Decompresses the one frame that stored must be into exactly raw_len bytes at raw, which the
 * caller owns. 0, or -OWT_E_INVALID and *out_why, a constant sentence part.
 */
int owt_unpack(struct owt_unpacker *u, const uint8_t *stored, size_t stored_len, uint8_t *raw,
	       size_t raw_len, const char **out_why) OWT_MUST_CHECK;

#endif
