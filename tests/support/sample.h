/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sample.h - recordings made from a seed, in memory, with the text that reading them must give.
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include "base.h"
#include "err.h"
#include "reader.h"
#include "writer.h"

/* A file in memory: sink while it is written, source while it is read. */
struct mem {
	uint8_t *bytes;
	size_t len, cap;
	size_t pos;	      /* of the source */
	size_t chop;	      /* source: at most so many bytes a read; 0: no matter */
	unsigned random;      /* source: seed for reads of random length, 0: none */
	unsigned writes_left; /* sink: the write after so many fails with -ENOSPC; 0: none */
};

struct owt_sink mem_sink(struct mem *m);
/* Starts at the first byte again. */
struct owt_source mem_source(struct mem *m);
void mem_free(struct mem *m);

#define SAMPLE_SLICES_MAX 16

struct sample_opts {
	unsigned seed;
	unsigned slices;
	unsigned stacks, rows, ksyms; /* in each slice, all ksyms in the first */
	bool store;
	int level;
	unsigned writes_left;
};

struct sample {
	struct mem file;
	char *text; /* of every record, as read_text() gives it */
	size_t text_len;
	unsigned slices;		      /* finished */
	size_t slice_text[SAMPLE_SLICES_MAX]; /* where each slice ends in the text */
	size_t slice_file[SAMPLE_SLICES_MAX]; /* and in the file */
};

/* Writes a recording: 0, or what the writer said. The sample is valid either way. */
int sample_make(struct sample *out, const struct sample_opts *opts);
void sample_free(struct sample *s);

struct reading {
	int ret; /* of the last owt_reader_next(), or of open */
	struct owt_err err;
	struct owt_file_info info; /* zero when it could not be opened */
	char *text;
	size_t text_len;
	unsigned slices;
};

/* Reads everything there is. */
struct reading read_all(const struct owt_source *source);
struct reading read_mem(struct mem *m);
void reading_free(struct reading *r);

#endif
