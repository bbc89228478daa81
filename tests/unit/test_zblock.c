/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "err.h"
#include "layout.h"
#include "zblock.h"

static uint8_t out[OWT_CHUNK_RAW_MAX + 1];

/* What unpacking says; null when it succeeds. */
static const char *unpack(const void *stored, size_t n, size_t raw_len)
{
	struct owt_unpacker *u;
	const char *why = NULL;
	int ret;

	cr_assert(!owt_unpacker_new(&u));
	ret = owt_unpack(u, stored, n, out, raw_len, &why);
	owt_unpacker_free(u);
	cr_assert_eq(ret, why ? -OWT_E_INVALID : 0);
	return why;
}

static size_t frame(uint8_t *to, size_t room, const void *raw, size_t n, int window_log,
		    int content)
{
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	ZSTD_inBuffer in = {raw, n, 0};
	ZSTD_outBuffer o = {to, room, 0};
	size_t left = 1;

	ZSTD_CCtx_setParameter(ctx, ZSTD_c_windowLog, window_log);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_contentSizeFlag, content);
	while (left)
		left = ZSTD_compressStream2(ctx, &o, &in, in.pos == n ? ZSTD_e_end : ZSTD_e_flush);
	ZSTD_freeCCtx(ctx);
	return o.pos;
}

Test(zblock, packs_and_unpacks_every_size_up_to_the_ceiling)
{
	static uint8_t raw[OWT_CHUNK_RAW_MAX];
	const size_t sizes[] = {1, 2, 100, 4096, 65535, 65536, 131073, OWT_CHUNK_RAW_MAX};
	struct owt_packer *p;

	for (size_t i = 0; i < sizeof(raw); i++)
		raw[i] = (uint8_t)(i / 7);
	cr_assert(!owt_packer_new(&p, 0));
	for (size_t i = 0; i < OWT_ARRAY_SIZE(sizes); i++) {
		struct owt_buf to = {.len = 0};
		bool zstd;

		cr_assert(!owt_pack(p, raw, sizes[i], &to, &zstd));
		cr_assert_leq(to.len, sizes[i]);
		cr_assert_eq(zstd, to.len < sizes[i]);
		if (zstd) {
			cr_assert_null(unpack(to.bytes, to.len, sizes[i]));
			cr_assert(!memcmp(out, raw, sizes[i]));
		} else {
			cr_assert(!memcmp(to.bytes, raw, sizes[i]));
		}
		owt_buf_done(&to);
	}
	owt_packer_free(p);
}

Test(zblock, stores_what_does_not_get_smaller)
{
	struct owt_buf to = {.len = 0};
	struct owt_packer *p;
	uint8_t noise[5000];
	unsigned seed = 1;
	bool zstd = true;

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (uint8_t)(rand_r(&seed) >> 7);
	cr_assert(!owt_packer_new(&p, 3));
	cr_assert(!owt_pack(p, noise, sizeof(noise), &to, &zstd));
	cr_assert_not(zstd);
	cr_assert_eq(to.len, sizeof(noise));
	owt_buf_done(&to);
	owt_packer_free(p);
}

Test(zblock, refuses_to_pack_more_than_the_ceiling)
{
	struct owt_buf to = {.len = 0};
	struct owt_packer *p;
	bool zstd;

	cr_assert(!owt_packer_new(&p, 3));
	cr_assert_eq(owt_pack(p, out, OWT_CHUNK_RAW_MAX + 1, &to, &zstd), -EINVAL);
	owt_packer_free(p);
	owt_packer_free(NULL);
	owt_unpacker_free(NULL);
}

Test(zblock, refuses_a_size_that_is_not_the_headers)
{
	uint8_t z[200], zeros[1000] = {0};
	size_t n = ZSTD_compress(z, sizeof(z), zeros, sizeof(zeros), 3);

	cr_assert_null(unpack(z, n, 1000));
	cr_assert_not_null(unpack(z, n, 999));
	cr_assert_not_null(unpack(z, n, 1001));
}

Test(zblock, refuses_frames_without_their_size)
{
	uint8_t z[2000], raw[300] = {0};
	size_t n = frame(z, sizeof(z), raw, sizeof(raw), 20, 0);

	cr_assert_str_eq(unpack(z, n, sizeof(raw)), "its zstd frame does not state its size");
}

/* The encoder shrinks the window to the content, so the window byte is set by hand. */
Test(zblock, refuses_windows_over_one_mebibyte)
{
	/* magic, descriptor: 4 bytes of content size, window; content size 5; raw last block */
	uint8_t z[] = {0x28, 0xb5, 0x2f, 0xfd, 0x80, 0,	  5,   0,   0,
		       0,    0x29, 0,	 0,    'h',  'e', 'l', 'l', 'o'};
	const unsigned fine = (20 - 10) << 3;

	for (unsigned w = 0; w < 256; w++) {
		const char *why;

		z[5] = (uint8_t)w;
		why = unpack(z, sizeof(z), 5);
		if (w <= fine)
			cr_assert_null(why, "window byte %u: %s", w, why);
		else
			cr_assert_str_eq(why, "the window of its zstd frame is over 1 MiB");
	}
}

Test(zblock, refuses_a_second_or_skippable_frame)
{
	static const uint8_t skippable[] = {0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2};
	uint8_t z[400], zeros[1000] = {0};
	size_t n = ZSTD_compress(z, 200, zeros, sizeof(zeros), 3);

	memcpy(z + n, z, n);
	cr_assert_str_eq(unpack(z, 2 * n, 1000), "bytes follow its zstd frame");
	memcpy(z + n, skippable, sizeof(skippable));
	cr_assert_str_eq(unpack(z, n + sizeof(skippable), 1000), "bytes follow its zstd frame");
	memmove(z + sizeof(skippable), z, n);
	memcpy(z, skippable, sizeof(skippable));
	cr_assert_str_eq(unpack(z, n + sizeof(skippable), 1000), "it is no zstd frame");
	cr_assert_str_eq(unpack("", 0, 1000), "it is no zstd frame");
}

Test(zblock, refuses_dictionaries_and_reserved_bits)
{
	uint8_t z[200], zeros[1000] = {0};
	size_t n = ZSTD_compress(z, sizeof(z), zeros, sizeof(zeros), 3);

	z[4] |= 1;
	cr_assert_str_eq(unpack(z, n, 1000), "its zstd frame needs a dictionary");
	z[4] ^= 1 | 8;
	cr_assert_str_eq(unpack(z, n, 1000), "its zstd frame sets a reserved bit");
}

Test(zblock, refuses_every_shortened_frame)
{
	uint8_t z[4000], raw[3000];
	size_t n;

	for (size_t i = 0; i < sizeof(raw); i++)
		raw[i] = (uint8_t)(i * i / 5);
	n = ZSTD_compress(z, sizeof(z), raw, sizeof(raw), 3);
	for (size_t i = 0; i < n; i++)
		cr_assert_not_null(unpack(z, i, sizeof(raw)));
}

Test(zblock, a_frame_that_claims_64_mebibytes_is_refused)
{
	const size_t size = 64u << 20;
	uint8_t *zeros = calloc(1, size), *z = malloc(ZSTD_compressBound(size));
	size_t n = ZSTD_compress(z, ZSTD_compressBound(size), zeros, size, 3);

	cr_assert_not_null(unpack(z, n, OWT_CHUNK_RAW_MAX));
	free(zeros);
	free(z);
}

Test(zblock, crc_is_that_of_zlib)
{
	cr_assert_eq(owt_crc32(0, "123456789", 9), 0xcbf43926u);
	cr_assert_eq(owt_crc32(owt_crc32(0, "1234", 4), "56789", 5), 0xcbf43926u);
	cr_assert_eq(owt_crc32(0, "", 0), 0);
}
