/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two halves take turns. Collecting: chunks are read into r->slice as they stand in the file,
 * each checksum verified, until a SLICE_END proves the slice whole. Delivering: the same bytes
 * are walked again, payload by payload, and handed out record by record. So a record that was
 * seen is one that was committed, and memory is bounded by one slice and the id tables.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "chunk.h"
#include "codec.h"
#include "fileheader.h"
#include "input.h"
#include "reader.h"
#include "zblock.h"

enum phase {
	PHASE_COLLECT,
	PHASE_DELIVER,
	PHASE_TAIL, /* END was read */
	PHASE_DONE
};

struct owt_reader {
	struct owt_input in;
	struct owt_file_info info;
	struct owt_decoder dec;
	struct owt_unpacker *unpacker; /* null until a chunk needs it */
	enum phase phase;
	uint32_t marker;
	uint32_t last_type; /* latest known chunk type of the slice */
	uint64_t sequence;  /* of the next chunk */
	uint64_t raw_total;
	uint64_t slice_offset;	/* in the file: where r->slice begins */
	uint64_t slice_unknown; /* unknown chunks in it */
	struct owt_buf slice;	/* the chunks read since the last SLICE_END or END */
	uint32_t headers_crc;
	struct owt_buf raw;	       /* decompressed payload */
	size_t walk;		       /* delivering: the chunk in r->slice that is next */
	struct owt_chunk chunk;	       /* the one that is being read or decoded */
	bool decoding;		       /* the decoder is within that chunk */
	struct owt_record seal_record; /* SLICE_END or END, delivered last */
	struct owt_seal seal;
	int failed;
};

/* Puts the chunk in front of what was found in it. */
static int chunk_fault(const struct owt_chunk *c, const struct owt_err *fault, struct owt_err *err)
{
	return owt_fail(err, fault->code,
			"chunk %" PRIu64 " (%s, type %" PRIu32 ") at byte %" PRIu64 ": %s",
			c->sequence, owt_chunk_name(c->type), c->type, c->offset, fault->text);
}

static int chunk_fail(const struct owt_chunk *c, int code, const char *text, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};

	owt_fail(&fault, code, "%s", text);
	return chunk_fault(c, &fault, err);
}

static int cut_short(const struct owt_reader *r, size_t got, struct owt_err *err)
{
	if (got)
		return owt_fail(err, -OWT_E_TRUNCATED,
				"the recording was cut short: it ends inside chunk %" PRIu64
				" at byte %" PRIu64,
				r->sequence, r->in.taken);
	return owt_fail(
		err, -OWT_E_TRUNCATED,
		"the recording was cut short: it ends without an END chunk at byte %" PRIu64,
		r->in.taken);
}

/* Appends n bytes of the file to the slice. */
static int take(struct owt_reader *r, size_t n, bool in_chunk, struct owt_err *err)
{
	int ret = owt_buf_reserve(&r->slice, n);
	size_t got;

	if (ret == -EFBIG)
		return owt_fail(err, -OWT_E_LIMIT,
				"chunk %" PRIu64 " at byte %" PRIu64
				": its slice is longer than %d bytes, the limit of the format",
				r->sequence, r->in.taken, OWT_SLICE_STORED_MAX);
	if (!ret)
		ret = owt_input_take(&r->in, r->slice.bytes + r->slice.len, n, &got);
	if (ret)
		return owt_fail(err, ret, "cannot read the recording: %s", owt_strerror(ret));
	if (got < n)
		return cut_short(r, in_chunk ? n : got, err);
	r->slice.len += n;
	return 0;
}

static int check_payload(const struct owt_chunk *c, const uint8_t *payload, struct owt_err *err)
{
	const size_t padded = owt_chunk_padded(c);

	if (owt_crc32(0, payload, padded) != c->payload_crc)
		return owt_fail(err, -OWT_E_DAMAGED,
				"the payload checksum of chunk %" PRIu64 " (%s) at byte %" PRIu64
				" is wrong",
				c->sequence, owt_chunk_name(c->type), c->offset);
	for (size_t i = c->stored_len; i < padded; i++)
		if (payload[i])
			return chunk_fail(c, -OWT_E_INVALID,
					  "padding: expected zeros, found another byte", err);
	return 0;
}

/* Reads the next chunk onto the end of the slice and verifies its checksums. */
static int take_chunk(struct owt_reader *r, struct owt_err *err)
{
	const uint64_t offset = r->in.taken;
	struct owt_chunk *c = &r->chunk;
	int ret = take(r, OWT_CHK_BYTES, false, err);
	size_t start;

	if (ret)
		return ret;
	start = r->slice.len - OWT_CHK_BYTES;
	ret = owt_chunk_parse(r->slice.bytes + start, offset, r->sequence, r->marker, c, err);
	if (!ret)
		ret = take(r, owt_chunk_padded(c), true, err);
	if (!ret)
		ret = check_payload(c, r->slice.bytes + start + OWT_CHK_BYTES, err);
	if (ret)
		return ret;
	if (c->type != OWT_CHUNK_SLICE_END)
		r->headers_crc = owt_crc32(r->headers_crc, r->slice.bytes + start, OWT_CHK_CRC);
	r->sequence++;
	return 0;
}

static int skip_unknown(struct owt_reader *r, struct owt_err *err)
{
	const struct owt_chunk *c = &r->chunk;

	if (c->flags & OWT_CHUNK_CRITICAL)
		return chunk_fail(c, -OWT_E_VERSION,
				  "this type is needed to understand the recording and this "
				  "program (" OWT_VERSION ") does not know it: a newer "
				  "offwake-report is needed",
				  err);
	r->slice_unknown++;
	return 0;
}

/* Where a known chunk may stand, and how much it may unpack to. */
static int admit_known(struct owt_reader *r, struct owt_err *err)
{
	const struct owt_chunk *c = &r->chunk;

	if ((c->type < r->last_type && c->type != OWT_CHUNK_SLICE_END) ||
	    (c->type == OWT_CHUNK_END && r->last_type))
		return owt_fail(err, -OWT_E_INVALID,
				"chunk %" PRIu64 " (%s, type %" PRIu32 ") at byte %" PRIu64
				": expected a later type, as %s came before it in the slice",
				c->sequence, owt_chunk_name(c->type), c->type, c->offset,
				owt_chunk_name(r->last_type));
	r->raw_total += c->raw_len;
	if (r->raw_total > OWT_RAW_BASE_MAX + OWT_RAW_RATIO_MAX * r->in.taken)
		return chunk_fail(
			c, -OWT_E_LIMIT,
			"the recording unpacks to more than the format allows for its size", err);
	r->last_type = c->type;
	return 0;
}

/* Hands the payload of r->chunk, which stands at the given place, to the decoder. */
static int begin_payload(struct owt_reader *r, const uint8_t *payload, struct owt_err *err)
{
	const struct owt_chunk *c = &r->chunk;
	struct owt_err fault = {.code = 0};
	const char *why;

	if (c->flags & OWT_CHUNK_ZSTD) {
		r->raw.len = 0;
		if ((!r->unpacker && owt_unpacker_new(&r->unpacker)) ||
		    owt_buf_reserve(&r->raw, c->raw_len))
			return chunk_fail(c, -ENOMEM, "no memory to unpack it", err);
		if (owt_unpack(r->unpacker, payload, c->stored_len, r->raw.bytes, c->raw_len, &why))
			return chunk_fail(c, -OWT_E_INVALID, why, err);
		payload = r->raw.bytes;
	}
	if (owt_decoder_begin(&r->dec, c->type, c->version > OWT_CHUNK_VERSION, payload, c->raw_len,
			      &fault))
		return chunk_fault(c, &fault, err);
	return 0;
}

/* 1 and the decoder's next record, 0 at the end of the payload. */
static int next_in_payload(struct owt_reader *r, struct owt_record *out, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = owt_decoder_next(&r->dec, out, &fault);

	return ret < 0 ? chunk_fault(&r->chunk, &fault, err) : ret;
}

/* The one record of the SLICE_END or END that was just read. */
static int decode_seal(struct owt_reader *r, struct owt_err *err)
{
	struct owt_record none;
	int ret =
		begin_payload(r, r->slice.bytes + r->slice.len - owt_chunk_padded(&r->chunk), err);

	if (!ret)
		ret = next_in_payload(r, &r->seal_record, err);
	if (ret > 0)
		ret = next_in_payload(r, &none, err);
	r->seal = r->dec.seal;
	return ret;
}

static int seal_mismatch(const struct owt_reader *r, const char *what, uint64_t expected,
			 uint64_t found, struct owt_err *err)
{
	const struct owt_chunk *c = &r->chunk;

	return owt_fail(err, -OWT_E_INVALID,
			"chunk %" PRIu64 " (%s, type %" PRIu32 ") at byte %" PRIu64
			": %s: expected %" PRIu64 ", found %" PRIu64,
			c->sequence, owt_chunk_name(c->type), c->type, c->offset, what, expected,
			found);
}

static void commit(struct owt_reader *r)
{
	r->info.chunks = r->sequence;
	r->info.unknown_chunks += r->slice_unknown;
	r->slice_unknown = 0;
	r->headers_crc = 0;
	r->last_type = 0;
}

static int close_slice(struct owt_reader *r, struct owt_err *err)
{
	int ret = decode_seal(r, err);

	if (ret)
		return ret;
	if (r->seal.slices != r->dec.counts.slices)
		return seal_mismatch(r, "slice number", r->dec.counts.slices, r->seal.slices, err);
	if (r->seal.headers_crc != r->headers_crc)
		return seal_mismatch(r, "checksum of the headers", r->headers_crc,
				     r->seal.headers_crc, err);
	commit(r);
	r->info.slices++;
	r->phase = PHASE_DELIVER;
	r->walk = 0;
	return 0;
}

static int close_recording(struct owt_reader *r, struct owt_err *err)
{
	int ret = decode_seal(r, err);

	if (ret)
		return ret;
	if (r->seal.slices != r->dec.counts.slices)
		return seal_mismatch(r, "slice count", r->dec.counts.slices, r->seal.slices, err);
	if (r->seal.rows != r->dec.counts.rows)
		return seal_mismatch(r, "row count", r->dec.counts.rows, r->seal.rows, err);
	commit(r);
	r->slice_offset = r->in.taken;
	r->phase = PHASE_TAIL;
	return 0;
}

/* Reads on until a slice or the recording is whole. */
static int collect(struct owt_reader *r, struct owt_err *err)
{
	int ret = 0;

	while (!ret && r->phase == PHASE_COLLECT) {
		ret = take_chunk(r, err);
		if (!ret && !owt_chunk_def(r->chunk.type)) {
			ret = skip_unknown(r, err);
			continue;
		}
		if (!ret)
			ret = admit_known(r, err);
		if (!ret && r->chunk.type == OWT_CHUNK_SLICE_END)
			ret = close_slice(r, err);
		else if (!ret && r->chunk.type == OWT_CHUNK_END)
			ret = close_recording(r, err);
	}
	return ret;
}

/* The slice's own record comes last, when its rows are counted. */
static int deliver_seal(struct owt_reader *r, struct owt_record *out, struct owt_err *err)
{
	if (r->seal.rows != r->dec.counts.slice_rows)
		return seal_mismatch(r, "row count", r->dec.counts.slice_rows, r->seal.rows, err);
	r->dec.counts.slices++;
	r->dec.counts.slice_rows = 0;
	r->slice.len = 0;
	r->slice_offset = r->in.taken;
	r->phase = PHASE_COLLECT;
	*out = r->seal_record;
	return 1;
}

/* Steps to the chunk at r->walk, whose header was verified when it was collected. */
static int step(struct owt_reader *r, struct owt_err *err)
{
	const uint8_t *h = r->slice.bytes + r->walk;
	int ret = owt_chunk_parse(h, r->slice_offset + r->walk, owt_load_u64(h + OWT_CHK_SEQUENCE),
				  r->marker, &r->chunk, err);

	if (ret)
		return ret;
	r->walk += OWT_CHK_BYTES + owt_chunk_padded(&r->chunk);
	if (!owt_chunk_def(r->chunk.type) || r->chunk.type == OWT_CHUNK_SLICE_END)
		return 0;
	r->decoding = true;
	return begin_payload(r, h + OWT_CHK_BYTES, err);
}

static int deliver(struct owt_reader *r, struct owt_record *out, struct owt_err *err)
{
	int ret = 0;

	while (!ret) {
		if (r->decoding) {
			ret = next_in_payload(r, out, err);
			r->decoding = ret > 0;
		} else if (r->walk == r->slice.len) {
			ret = deliver_seal(r, out, err);
		} else {
			ret = step(r, err);
		}
	}
	return ret;
}

/* END is followed by the end of the file, and only that makes the recording complete. */
static int check_tail(struct owt_reader *r, struct owt_err *err)
{
	const uint64_t end = r->in.taken;
	int ret = owt_input_drain(&r->in);

	if (ret)
		return owt_fail(err, ret, "cannot read the recording: %s", owt_strerror(ret));
	r->phase = PHASE_DONE;
	r->info.dropped_bytes = r->in.taken - end;
	r->info.complete = !r->info.dropped_bytes;
	if (!r->info.complete)
		snprintf(r->info.why_partial, sizeof(r->info.why_partial),
			 "%" PRIu64 " bytes follow the end of the recording at byte %" PRIu64,
			 r->info.dropped_bytes, end);
	return 0;
}

/* Damage after a committed slice ends the reading; before one it is the caller's error. */
static int end_partial(struct owt_reader *r, int ret, const struct owt_err *fault,
		       struct owt_err *err)
{
	const bool soft = ret == -OWT_E_DAMAGED || ret == -OWT_E_TRUNCATED;

	if (!soft || !r->info.slices)
		return owt_fail(err, ret, "%s%s", fault->text,
				soft ? "; no slice is complete" : "");
	snprintf(r->info.why_partial, sizeof(r->info.why_partial),
		 "%.180s; %" PRIu64 " slices are kept", fault->text, r->info.slices);
	ret = owt_input_drain(&r->in);
	if (ret)
		return owt_fail(err, ret, "cannot read the recording: %s", owt_strerror(ret));
	r->info.dropped_bytes = r->in.taken - r->slice_offset;
	r->phase = PHASE_DONE;
	return 0;
}

static int next(struct owt_reader *r, struct owt_record *out, struct owt_err *err)
{
	struct owt_err fault = {.code = 0};
	int ret = 0;

	if (r->phase == PHASE_COLLECT) {
		ret = collect(r, &fault);
		if (ret)
			return end_partial(r, ret, &fault, err);
		if (r->phase == PHASE_TAIL) {
			*out = r->seal_record;
			return 1;
		}
	}
	if (r->phase == PHASE_DELIVER)
		return deliver(r, out, err);
	return r->phase == PHASE_TAIL ? check_tail(r, err) : 0;
}

int owt_reader_next(struct owt_reader *r, struct owt_record *out_record, struct owt_err *err)
{
	int ret;

	if (r->failed)
		return owt_fail(err, r->failed, "the recording could not be read before: %s",
				owt_strerror(r->failed));
	ret = next(r, out_record, err);
	if (ret < 0)
		r->failed = ret;
	r->info.bytes = r->in.taken;
	return ret;
}

int owt_reader_open(struct owt_reader **out, const struct owt_source *source, struct owt_err *err)
{
	struct owt_reader *r = calloc(1, sizeof(*r));
	int ret;

	if (!r)
		return owt_fail(err, -ENOMEM, "no memory to read a recording");
	r->in.source = *source;
	r->slice.max = OWT_SLICE_STORED_MAX;
	ret = owt_header_read(&r->in, &r->info, err);
	if (ret) {
		owt_reader_free(r);
		return ret;
	}
	r->marker = owt_load_u32(r->info.file_id) ^ OWT_MARKER_XOR;
	r->slice_offset = r->info.bytes = r->in.taken;
	*out = r;
	return 0;
}

const struct owt_file_info *owt_reader_info(const struct owt_reader *r)
{
	return &r->info;
}

void owt_reader_free(struct owt_reader *r)
{
	if (!r)
		return;
	owt_unpacker_free(r->unpacker);
	owt_decoder_done(&r->dec);
	owt_buf_done(&r->slice);
	owt_buf_done(&r->raw);
	free(r);
}
