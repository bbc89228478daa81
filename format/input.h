/* SPDX-License-Identifier: Apache-2.0 */
/*
 * input.h - a source read in large pieces and handed out in exact ones.
 */
#ifndef OWT_INPUT_H
#define OWT_INPUT_H

#include "base.h"
#include "reader.h"

#define OWT_INPUT_BYTES 65536

struct owt_input {
	struct owt_source source;
	size_t pos, len;
	uint64_t taken; /* handed out so far: the offset in the file */
	uint8_t bytes[OWT_INPUT_BYTES];
};

/*
 * Up to n bytes, fewer only at the end of the source: 0 and *out_got, or -errno. The bytes
 * may be partly written on failure.
 */
int owt_input_take(struct owt_input *in, uint8_t *to, size_t n, size_t *out_got) OWT_MUST_CHECK;
/* Reads on to the end of the source. 0 or -errno. */
int owt_input_drain(struct owt_input *in) OWT_MUST_CHECK;

#endif
