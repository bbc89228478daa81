/* SPDX-License-Identifier: Apache-2.0 */
/*
 * forge.h - takes a recording apart into chunks and puts it together again, changed, with
 * sequence numbers and checksums that hold: what an attacker would send.
 */
#ifndef FORGE_H
#define FORGE_H

#include "sample.h"

#define FORGE_CHUNKS_MAX 64

struct forge_chunk {
	uint32_t type;
	uint16_t version, flags;
	uint32_t raw_len; /* as the header says */
	uint8_t *bytes;	  /* as stored, own copy */
	size_t len;
	size_t offset; /* in the file it was taken from */
};

struct forge {
	uint8_t header[4096];
	size_t header_len;
	size_t cnt;
	struct forge_chunk chunks[FORGE_CHUNKS_MAX];
	bool keep_seals; /* do not renew the checksum in SLICE_END */
};

void forge_open(struct forge *f, const struct mem *file);
void forge_done(struct forge *f);
/* The first chunk of the type at index from or later; it must exist. */
size_t forge_find(const struct forge *f, uint32_t type, size_t from);
/* Sets the payload, not compressed. */
void forge_payload(struct forge *f, size_t at, const void *bytes, size_t n);
/* A new chunk before that at index at. */
void forge_insert(struct forge *f, size_t at, uint32_t type, uint16_t flags, const void *bytes,
		  size_t n);
void forge_build(const struct forge *f, struct mem *out);
/* Builds and reads. */
struct reading forge_read(const struct forge *f);
/* Renews the checksum of a header of len bytes. */
void forge_header_crc(uint8_t *header, size_t len);

#endif
