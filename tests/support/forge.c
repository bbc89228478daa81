/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include "bytes.h"
#include "columns.h"
#include "forge.h"
#include "layout.h"
#include "zblock.h"

#define SEAL_COLUMN 7 /* of SLICE_END: the checksum of the headers */

static size_t padded(size_t n)
{
	return (n + 7) / 8 * 8;
}

static uint8_t *copy(const void *bytes, size_t n)
{
	uint8_t *p = malloc(n + 1);

	if (!p)
		abort();
	if (n)
		memcpy(p, bytes, n);
	return p;
}

void forge_open(struct forge *f, const struct mem *file)
{
	size_t pos;

	memset(f, 0, sizeof(*f));
	pos = f->header_len = OWT_HDR_BYTES;
	memcpy(f->header, file->bytes, pos);
	while (pos < file->len) {
		const uint8_t *h = file->bytes + pos;
		struct forge_chunk *c = &f->chunks[f->cnt++];

		if (f->cnt == FORGE_CHUNKS_MAX)
			abort();
		c->offset = pos;
		c->type = owt_load_u32(h + OWT_CHK_TYPE);
		c->version = owt_load_u16(h + OWT_CHK_VERSION);
		c->flags = owt_load_u16(h + OWT_CHK_FLAGS);
		c->raw_len = owt_load_u32(h + OWT_CHK_RAW_LEN);
		c->len = owt_load_u32(h + OWT_CHK_STORED_LEN);
		c->bytes = copy(h + OWT_CHK_BYTES, c->len);
		pos += OWT_CHK_BYTES + padded(c->len);
	}
}

void forge_done(struct forge *f)
{
	for (size_t i = 0; i < f->cnt; i++)
		free(f->chunks[i].bytes);
	f->cnt = 0;
}

size_t forge_find(const struct forge *f, uint32_t type, size_t from)
{
	for (size_t i = from; i < f->cnt; i++)
		if (f->chunks[i].type == type)
			return i;
	abort();
}

void forge_payload(struct forge *f, size_t at, const void *bytes, size_t n)
{
	struct forge_chunk *c = &f->chunks[at];
	uint8_t *p = copy(bytes, n);

	free(c->bytes);
	c->bytes = p;
	c->len = n;
	c->raw_len = (uint32_t)n;
}

void forge_insert(struct forge *f, size_t at, uint32_t type, uint16_t flags, const void *bytes,
		  size_t n)
{
	if (f->cnt == FORGE_CHUNKS_MAX)
		abort();
	memmove(f->chunks + at + 1, f->chunks + at, (f->cnt - at) * sizeof(f->chunks[0]));
	f->cnt++;
	f->chunks[at] = (struct forge_chunk){.type = type, .version = 1, .flags = flags};
	forge_payload(f, at, bytes, n);
}

/* A SLICE_END payload with another checksum; as it was when it cannot be taken apart. */
static void renew_seal(const struct forge_chunk *c, uint32_t crc, struct owt_buf *out)
{
	const struct owt_chunk_def *def = owt_chunk_def(OWT_CHUNK_SLICE_END);
	struct owt_colw w = {.record_cnt = 1};
	struct owt_colr r;
	int bad = owt_colr_init(&r, def, false, c->bytes, c->len);

	for (unsigned i = 0; !bad && i < def->column_cnt; i++)
		bad = i == SEAL_COLUMN
			      ? owt_colw_leb(&w, i, crc)
			      : owt_colw_bytes(&w, i, r.col[i].pos, owt_cursor_left(&r.col[i]));
	if (!bad)
		bad = owt_colw_finish(&w, def->column_cnt, out);
	if (bad && owt_buf_add(out, c->bytes, c->len))
		abort();
	owt_colw_done(&w);
}

static void put_chunk(const struct forge *f, const struct forge_chunk *c, const uint8_t *bytes,
		      size_t len, uint64_t sequence, struct mem *out)
{
	struct owt_sink sink = mem_sink(out);
	static const uint8_t zeros[8];
	uint8_t h[OWT_CHK_BYTES] = {0};
	uint32_t crc = owt_crc32(0, bytes, len);

	owt_store_u32(h + OWT_CHK_MARKER,
		      owt_load_u32(f->header + OWT_HDR_FILE_ID) ^ OWT_MARKER_XOR);
	owt_store_u32(h + OWT_CHK_TYPE, c->type);
	owt_store_u16(h + OWT_CHK_VERSION, c->version);
	owt_store_u16(h + OWT_CHK_FLAGS, c->flags);
	owt_store_u64(h + OWT_CHK_SEQUENCE, sequence);
	owt_store_u32(h + OWT_CHK_STORED_LEN, (uint32_t)len);
	owt_store_u32(h + OWT_CHK_RAW_LEN, len == c->len ? c->raw_len : (uint32_t)len);
	owt_store_u32(h + OWT_CHK_PAYLOAD_CRC, owt_crc32(crc, zeros, padded(len) - len));
	owt_store_u32(h + OWT_CHK_CRC, owt_crc32(0, h, OWT_CHK_CRC));
	if (sink.write(sink.ctx, h, sizeof(h)) || sink.write(sink.ctx, bytes, len) ||
	    sink.write(sink.ctx, zeros, padded(len) - len))
		abort();
}

void forge_build(const struct forge *f, struct mem *out)
{
	struct owt_sink sink = mem_sink(out);
	uint32_t crc = 0;

	out->len = 0;
	if (sink.write(sink.ctx, f->header, f->header_len))
		abort();
	for (size_t i = 0; i < f->cnt; i++) {
		const struct forge_chunk *c = &f->chunks[i];
		const size_t start = out->len;
		struct owt_buf seal = {.len = 0};

		if (c->type != OWT_CHUNK_SLICE_END || f->keep_seals) {
			put_chunk(f, c, c->bytes, c->len, i, out);
			crc = owt_crc32(crc, out->bytes + start, OWT_CHK_CRC);
			if (c->type == OWT_CHUNK_SLICE_END)
				crc = 0;
			continue;
		}
		renew_seal(c, crc, &seal);
		put_chunk(f, c, seal.bytes, seal.len, i, out);
		owt_buf_done(&seal);
		crc = 0;
	}
}

struct reading forge_read(const struct forge *f)
{
	struct mem out = {.len = 0};
	struct reading r;

	forge_build(f, &out);
	r = read_mem(&out);
	mem_free(&out);
	return r;
}

void forge_header_crc(uint8_t *header, size_t len)
{
	owt_store_u32(header + len - 4, owt_crc32(0, header, len - 4));
}
