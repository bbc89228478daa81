/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chunk.h - the header of a chunk, taken apart and checked.
 */
#ifndef OWT_CHUNK_H
#define OWT_CHUNK_H

#include "base.h"
#include "err.h"
#include "layout.h"

struct owt_chunk {
	uint64_t offset; /* in the file, of its header */
	uint32_t type;
	uint16_t version, flags;
	uint64_t sequence;
	uint32_t stored_len, raw_len, payload_crc;
};

/* Bytes of the payload in the file, padding included. */
size_t owt_chunk_padded(const struct owt_chunk *c);

/*
 * offset and sequence are where the chunk stands and which number it should have. 0 and *out,
 * -OWT_E_DAMAGED (checksum, marker or sequence), or, with a right checksum, -OWT_E_INVALID or
 * -OWT_E_LIMIT.
 */
int owt_chunk_parse(const uint8_t bytes[OWT_CHK_BYTES], uint64_t offset, uint64_t sequence,
		    uint32_t marker, struct owt_chunk *out, struct owt_err *err) OWT_MUST_CHECK;

#endif
