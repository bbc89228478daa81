/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include "bytes.h"
#include "chunk.h"
#include "columns.h"
#include "zblock.h"

size_t owt_chunk_padded(const struct owt_chunk *c)
{
	return ((size_t)c->stored_len + OWT_CHK_ALIGN - 1) & ~(size_t)(OWT_CHK_ALIGN - 1);
}

static int check_sequence(const struct owt_chunk *c, uint64_t expected, struct owt_err *err)
{
	if (c->sequence == expected)
		return 0;
	if (c->sequence < expected)
		return owt_fail(err, -OWT_E_DAMAGED,
				"chunk %" PRIu64 " appears again at byte %" PRIu64
				" where chunk %" PRIu64 " was expected",
				c->sequence, c->offset, expected);
	return owt_fail(err, -OWT_E_DAMAGED,
			"chunks %" PRIu64 " to %" PRIu64 " are missing at byte %" PRIu64, expected,
			c->sequence - 1, c->offset);
}

static int invalid(const struct owt_chunk *c, const char *field, const char *expected,
		   uint64_t found, struct owt_err *err)
{
	return owt_fail(err, -OWT_E_INVALID,
			"chunk %" PRIu64 " (%s, type %" PRIu32 ") at byte %" PRIu64
			": %s: expected %s, found %" PRIu64,
			c->sequence, owt_chunk_name(c->type), c->type, c->offset, field, expected,
			found);
}

static int over_limit(const struct owt_chunk *c, const char *field, uint64_t max, uint64_t found,
		      struct owt_err *err)
{
	return owt_fail(err, -OWT_E_LIMIT,
			"chunk %" PRIu64 " (%s, type %" PRIu32 ") at byte %" PRIu64
			": %s is %" PRIu64 ", the limit of the format is %" PRIu64,
			c->sequence, owt_chunk_name(c->type), c->type, c->offset, field, found,
			max);
}

static int check_fields(const struct owt_chunk *c, const uint8_t *reserved, struct owt_err *err)
{
	for (unsigned i = 0; i < OWT_CHK_CRC - OWT_CHK_RESERVED; i++)
		if (reserved[i])
			return invalid(c, "reserved byte", "0", reserved[i], err);
	if (c->flags & ~OWT_CHUNK_FLAGS_KNOWN)
		return invalid(c, "flags", "at most 7", c->flags, err);
	if (!c->version)
		return invalid(c, "type version", "at least 1", 0, err);
	if (!c->raw_len)
		return invalid(c, "raw length", "at least 1", 0, err);
	if (c->raw_len > OWT_CHUNK_RAW_MAX)
		return over_limit(c, "raw length", OWT_CHUNK_RAW_MAX, c->raw_len, err);
	if (c->stored_len > OWT_CHUNK_STORED_MAX)
		return over_limit(c, "stored length", OWT_CHUNK_STORED_MAX, c->stored_len, err);
	if (!(c->flags & OWT_CHUNK_ZSTD) && c->stored_len != c->raw_len)
		return invalid(c, "stored length", "the raw length", c->stored_len, err);
	if (c->sequence >= OWT_CHUNKS_MAX)
		return over_limit(c, "sequence number", OWT_CHUNKS_MAX - 1, c->sequence, err);
	return 0;
}

int owt_chunk_parse(const uint8_t bytes[OWT_CHK_BYTES], uint64_t offset, uint64_t sequence,
		    uint32_t marker, struct owt_chunk *out, struct owt_err *err)
{
	struct owt_chunk c = {.offset = offset};
	int ret;

	if (owt_load_u32(bytes + OWT_CHK_CRC) != owt_crc32(0, bytes, OWT_CHK_CRC))
		return owt_fail(err, -OWT_E_DAMAGED,
				"the header checksum of chunk %" PRIu64 " at byte %" PRIu64
				" is wrong",
				sequence, offset);
	if (owt_load_u32(bytes + OWT_CHK_MARKER) != marker)
		return owt_fail(err, -OWT_E_DAMAGED,
				"the chunk at byte %" PRIu64 " belongs to another recording",
				offset);
	c.type = owt_load_u32(bytes + OWT_CHK_TYPE);
	c.version = owt_load_u16(bytes + OWT_CHK_VERSION);
	c.flags = owt_load_u16(bytes + OWT_CHK_FLAGS);
	c.sequence = owt_load_u64(bytes + OWT_CHK_SEQUENCE);
	c.stored_len = owt_load_u32(bytes + OWT_CHK_STORED_LEN);
	c.raw_len = owt_load_u32(bytes + OWT_CHK_RAW_LEN);
	c.payload_crc = owt_load_u32(bytes + OWT_CHK_PAYLOAD_CRC);
	ret = check_sequence(&c, sequence, err);
	if (!ret)
		ret = check_fields(&c, bytes + OWT_CHK_RESERVED, err);
	if (!ret)
		*out = c;
	return ret;
}
