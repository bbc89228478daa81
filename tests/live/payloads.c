/* SPDX-License-Identifier: Apache-2.0 */
/*
 * payloads FILE: prints the file as it is, then each zstd frame in it, decompressed: all the
 * bytes of a recording, whatever they mean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define BYTES_MAX ((size_t)64 << 20)

static int print_frame(const unsigned char *at, size_t left)
{
	size_t packed = ZSTD_findFrameCompressedSize(at, left), len;
	unsigned long long size = ZSTD_getFrameContentSize(at, left);
	void *bytes;

	if (ZSTD_isError(packed) || size > BYTES_MAX)
		return 0; /* only looked like a frame */
	bytes = malloc(size + 1);
	if (!bytes)
		return -1;
	len = ZSTD_decompress(bytes, size, at, packed);
	if (!ZSTD_isError(len))
		fwrite(bytes, 1, len, stdout);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	static const unsigned char magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char *bytes = malloc(BYTES_MAX);
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t len;

	if (!file || !bytes) {
		fprintf(stderr, "usage: payloads FILE\n");
		return 2;
	}
	len = fread(bytes, 1, BYTES_MAX, file);
	fwrite(bytes, 1, len, stdout);
	for (size_t i = 0; i + sizeof(magic) <= len; i++)
		if (!memcmp(bytes + i, magic, sizeof(magic)) && print_frame(bytes + i, len - i))
			return 1;
	return fflush(stdout) || ferror(stdout) || len == BYTES_MAX;
}
