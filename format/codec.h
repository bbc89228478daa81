/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.h - records to columns and back, and the rules that both directions hold them to.
 */
#ifndef OWT_CODEC_H
#define OWT_CODEC_H

#include "base.h"
#include "columns.h"
#include "err.h"
#include "reader.h"
#include "types.h"

/* How much has been defined so far: what an id may name. */
struct owt_counts {
	uint32_t pairs, strings, frames, nodes, stacks, threads, modules, processes;
	uint32_t mappings, ksyms, symbols, accounts;
	uint64_t last_ksym; /* address of the latest one */
	uint64_t rows, slices, slice_rows;
};

/*
 * The rules for one record, given what came before it: 0, -OWT_E_INVALID or -OWT_E_LIMIT and
 * err: "target: expected 1 to 3, found 4".
 */
int owt_check_meta(const struct owt_counts *c, const struct owt_meta *m, struct owt_err *err);
int owt_check_string(const struct owt_counts *c, const struct owt_string *s, struct owt_err *err);
int owt_check_frame(const struct owt_counts *c, struct owt_err *err);
int owt_check_node(const struct owt_counts *c, uint32_t parent, uint32_t frame,
		   struct owt_err *err);
int owt_check_stack(const struct owt_counts *c, const struct owt_stack *s, struct owt_err *err);
int owt_check_thread(const struct owt_counts *c, const struct owt_thread *t, struct owt_err *err);
int owt_check_module(const struct owt_counts *c, const struct owt_module *m, struct owt_err *err);
int owt_check_process(const struct owt_counts *c, const struct owt_process *p, struct owt_err *err);
int owt_check_mapping(const struct owt_counts *c, const struct owt_mapping *m, struct owt_err *err);
int owt_check_ksym(const struct owt_counts *c, const struct owt_ksym *k, struct owt_err *err);
int owt_check_symbol(const struct owt_counts *c, const struct owt_symbol *s, struct owt_err *err);
int owt_check_account(const struct owt_counts *c, const struct owt_account *a, struct owt_err *err);
int owt_check_row(const struct owt_counts *c, const struct owt_row *r, struct owt_err *err);
int owt_check_slice(const struct owt_counts *c, const struct owt_slice *s, struct owt_err *err);
int owt_check_end(const struct owt_end *e, struct owt_err *err);

/*
 * Columns under construction, and what the next record is written relative to: within one
 * payload, so that each payload can be read on its own. Zero-initialize, set type.
 */
struct owt_encoder {
	uint32_t type;
	struct owt_colw w;
	uint64_t previous; /* stack leaf, symbol address, row's longest end, account's begin */
	char module[OWT_KSYM_MODULE_MAX];
	size_t module_len;
};

/* Each appends one record, which the caller has checked. 0 or -ENOMEM. */
int owt_encode_meta(struct owt_encoder *e, const struct owt_meta *m) OWT_MUST_CHECK;
int owt_encode_string(struct owt_encoder *e, const struct owt_string *s) OWT_MUST_CHECK;
int owt_encode_frame(struct owt_encoder *e, uint64_t addr) OWT_MUST_CHECK;
/* distance: the node's own id less its parent's; 0 for a root. */
int owt_encode_node(struct owt_encoder *e, uint32_t distance, uint32_t frame) OWT_MUST_CHECK;
int owt_encode_stack(struct owt_encoder *e, const struct owt_stack *s) OWT_MUST_CHECK;
int owt_encode_thread(struct owt_encoder *e, const struct owt_thread *t) OWT_MUST_CHECK;
int owt_encode_module(struct owt_encoder *e, const struct owt_module *m) OWT_MUST_CHECK;
int owt_encode_process(struct owt_encoder *e, const struct owt_process *p) OWT_MUST_CHECK;
int owt_encode_mapping(struct owt_encoder *e, const struct owt_mapping *m) OWT_MUST_CHECK;
int owt_encode_ksym(struct owt_encoder *e, const struct owt_ksym *k) OWT_MUST_CHECK;
int owt_encode_symbol(struct owt_encoder *e, const struct owt_symbol *s) OWT_MUST_CHECK;
int owt_encode_account(struct owt_encoder *e, const struct owt_account *a) OWT_MUST_CHECK;
int owt_encode_row(struct owt_encoder *e, const struct owt_row *r) OWT_MUST_CHECK;
int owt_encode_slice(struct owt_encoder *e, const struct owt_slice *s, const struct owt_counts *c,
		     uint32_t headers_crc) OWT_MUST_CHECK;
int owt_encode_end(struct owt_encoder *e, const struct owt_end *s,
		   const struct owt_counts *c) OWT_MUST_CHECK;

/* Appends the payload to *to and starts the next one. 0, -ENOMEM or -EFBIG. */
int owt_encoder_finish(struct owt_encoder *e, struct owt_buf *to) OWT_MUST_CHECK;
void owt_encoder_done(struct owt_encoder *e);

/* What SLICE_END and END say of what came before them; headers_crc is SLICE_END's alone. */
struct owt_seal {
	uint64_t slices; /* SLICE_END: its own number, from 0 */
	uint64_t rows;	 /* SLICE_END: of this slice */
	uint32_t headers_crc;
};

/* Zero-initialize. */
struct owt_decoder {
	struct owt_counts counts;
	struct owt_seal seal; /* of the latest SLICE_END or END */
	uint32_t type;
	struct owt_colr r;
	uint64_t previous;
	struct owt_buf text[2]; /* strings that are lent out, terminated */
	struct owt_buf frames;	/* u64 each: addresses */
	struct owt_buf depths;	/* u16 each: frames from the root to a node */
	struct owt_module module;
};

/* Starts with a payload, which is borrowed until it is finished. 0 or -OWT_E_INVALID. */
int owt_decoder_begin(struct owt_decoder *d, uint32_t type, bool newer, const uint8_t *bytes,
		      size_t n, struct owt_err *err) OWT_MUST_CHECK;
/*
 * The next record: 1, 0 at the payload's end, or a negative code. Records keep the rules of
 * owt_check_...() and are counted. Frames are no records: a FRAMES payload gives none.
 */
int owt_decoder_next(struct owt_decoder *d, struct owt_record *out,
		     struct owt_err *err) OWT_MUST_CHECK;
void owt_decoder_done(struct owt_decoder *d);

#endif
