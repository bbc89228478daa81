/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder works in one call into a buffer of the size that the chunk header names, so
 * memory is bounded whatever the frame says; the frame header is checked all the same, so
 * that every decoder, streaming ones too, can read what this one accepts.
 */
#include <errno.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>
#include "err.h"
#include "layout.h"
#include "zblock.h"

#define FRAME_MAGIC 0xfd2fb528u /* RFC 8878, 3.1.1 */

struct owt_packer {
	ZSTD_CCtx *ctx;
};

struct owt_unpacker {
	ZSTD_DCtx *ctx;
};

uint32_t owt_crc32(uint32_t crc, const void *bytes, size_t n)
{
	return (uint32_t)crc32_z(crc, bytes, n);
}

int owt_packer_new(struct owt_packer **out, int level)
{
	struct owt_packer *p = calloc(1, sizeof(*p));
	size_t bad = 0;

	if (!p)
		return -ENOMEM;
	p->ctx = ZSTD_createCCtx();
	if (!p->ctx) {
		free(p);
		return -ENOMEM;
	}
	bad |= ZSTD_isError(
		ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_compressionLevel, level ? level : 3));
	bad |= ZSTD_isError(ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_windowLog, 20));
	bad |= ZSTD_isError(ZSTD_CCtx_setParameter(p->ctx, ZSTD_c_contentSizeFlag, 1));
	if (bad) {
		owt_packer_free(p);
		return -EINVAL;
	}
	*out = p;
	return 0;
}

void owt_packer_free(struct owt_packer *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->ctx);
	free(p);
}

int owt_pack(struct owt_packer *p, const void *raw, size_t raw_len, struct owt_buf *to,
	     bool *out_zstd)
{
	size_t room = ZSTD_compressBound(raw_len), n;
	int ret;

	if (raw_len > OWT_CHUNK_RAW_MAX)
		return -EINVAL;
	ret = owt_buf_reserve(to, room);
	if (ret)
		return ret;
	n = ZSTD_compress2(p->ctx, to->bytes + to->len, room, raw, raw_len);
	if (ZSTD_isError(n))
		return -ENOMEM;
	*out_zstd = n < raw_len;
	if (!*out_zstd)
		return owt_buf_add(to, raw, raw_len);
	to->len += n;
	return 0;
}

int owt_unpacker_new(struct owt_unpacker **out)
{
	struct owt_unpacker *u = calloc(1, sizeof(*u));

	if (!u)
		return -ENOMEM;
	u->ctx = ZSTD_createDCtx();
	if (!u->ctx) {
		free(u);
		return -ENOMEM;
	}
	*out = u;
	return 0;
}

void owt_unpacker_free(struct owt_unpacker *u)
{
	if (!u)
		return;
	ZSTD_freeDCtx(u->ctx);
	free(u);
}

/* RFC 8878, 3.1.1.1: magic, descriptor, and a window byte unless one segment holds it all. */
static const char *frame_header_fault(const uint8_t *p, size_t n)
{
	uint64_t window;

	if (n < 6 || owt_load_u32(p) != FRAME_MAGIC)
		return "it is no zstd frame";
	if (p[4] & 0x08)
		return "its zstd frame sets a reserved bit";
	if (p[4] & 0x03)
		return "its zstd frame needs a dictionary";
	if (p[4] & 0x20)
		return NULL;
	window = 1ull << (10 + (p[5] >> 3));
	window += window / 8 * (p[5] & 7);
	return window > OWT_ZSTD_WINDOW_MAX ? "the window of its zstd frame is over 1 MiB" : NULL;
}

static const char *unpack_fault(struct owt_unpacker *u, const uint8_t *stored, size_t stored_len,
				uint8_t *raw, size_t raw_len)
{
	const char *why = frame_header_fault(stored, stored_len);
	unsigned long long content;
	size_t n;

	if (why)
		return why;
	content = ZSTD_getFrameContentSize(stored, stored_len);
	if (content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR)
		return "its zstd frame does not state its size";
	if (content != raw_len)
		return "its zstd frame states another size than the chunk header";
	n = ZSTD_findFrameCompressedSize(stored, stored_len);
	if (ZSTD_isError(n))
		return "its zstd frame is malformed";
	if (n != stored_len)
		return "bytes follow its zstd frame";
	n = ZSTD_decompressDCtx(u->ctx, raw, raw_len, stored, stored_len);
	if (ZSTD_isError(n))
		return "its zstd frame does not decompress";
	return n == raw_len ? NULL : "its zstd frame holds another size than it states";
}

int owt_unpack(struct owt_unpacker *u, const uint8_t *stored, size_t stored_len, uint8_t *raw,
	       size_t raw_len, const char **out_why)
{
	const char *why = unpack_fault(u, stored, stored_len, raw, raw_len);

	if (!why)
		return 0;
	*out_why = why;
	return -OWT_E_INVALID;
}
