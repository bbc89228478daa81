/* SPDX-License-Identifier: Apache-2.0 */
/* Files whose checksums hold and whose content does not. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include "bytes.h"
#include "columns.h"
#include "failalloc.h"
#include "forge.h"
#include "layout.h"
#include "zblock.h"

static struct sample small;
static struct forge forge;

static void setup(void)
{
	const struct sample_opts o = {
		.seed = 21, .slices = 2, .stacks = 3, .rows = 4, .ksyms = 4, .store = true};

	cr_assert_eq(sample_make(&small, &o), 0);
	forge_open(&forge, &small.file);
}

static void teardown(void)
{
	forge_done(&forge);
	sample_free(&small);
}

TestSuite(hostile, .init = setup, .fini = teardown);

/* Reads the forged recording: it must fail with the code and say the words. */
static void assert_refused(int code, const char *words)
{
	struct reading r = forge_read(&forge);

	cr_assert_eq(r.ret, code, "%d: %s", r.ret, r.err.text);
	cr_assert_not_null(strstr(r.err.text, words), "%s", r.err.text);
	cr_assert_not(r.info.complete);
	reading_free(&r);
}

static void assert_read_whole(void)
{
	struct reading r = forge_read(&forge);

	cr_assert_eq(r.ret, 0, "%s", r.err.text);
	cr_assert(r.info.complete, "%s", r.info.why_partial);
	cr_assert_eq(r.text_len, small.text_len);
	cr_assert(!memcmp(r.text, small.text, r.text_len));
	reading_free(&r);
}

Test(hostile, forging_nothing_changes_nothing)
{
	struct mem m = {.len = 0};

	forge_build(&forge, &m);
	cr_assert_eq(m.len, small.file.len);
	cr_assert(!memcmp(m.bytes, small.file.bytes, m.len));
	mem_free(&m);
	assert_read_whole();
}

/* Headers */

Test(hostile, a_newer_major_is_refused_with_the_cure)
{
	owt_store_u16(forge.header + OWT_HDR_MAJOR, 3);
	owt_store_u16(forge.header + OWT_HDR_MINOR, 7);
	forge_header_crc(forge.header, forge.header_len);
	assert_refused(-OWT_E_VERSION, "format version 3.7");
	assert_refused(-OWT_E_VERSION, "a newer offwake-report is needed");
}

Test(hostile, minor_and_compatible_features_do_not_matter)
{
	owt_store_u16(forge.header + OWT_HDR_MINOR, 999);
	owt_store_u32(forge.header + OWT_HDR_COMPAT, UINT32_MAX);
	forge_header_crc(forge.header, forge.header_len);
	assert_read_whole();
}

Test(hostile, an_unknown_incompatible_feature_is_named)
{
	owt_store_u32(forge.header + OWT_HDR_INCOMPAT, 1u << 9);
	forge_header_crc(forge.header, forge.header_len);
	assert_refused(-OWT_E_VERSION, "feature bit 9");
}

Test(hostile, a_longer_header_is_skipped)
{
	const size_t lens[] = {72, 1024, 4096};

	for (size_t i = 0; i < OWT_ARRAY_SIZE(lens); i++) {
		memset(forge.header + 60, 0xab, lens[i] - 60);
		forge.header_len = lens[i];
		owt_store_u32(forge.header + OWT_HDR_LEN, (uint32_t)lens[i]);
		forge_header_crc(forge.header, lens[i]);
		assert_read_whole();
	}
}

Test(hostile, header_lengths_out_of_the_bounds_are_refused)
{
	const uint32_t lens[] = {0, 56, 63, 65, 4104, UINT32_MAX};

	for (size_t i = 0; i < OWT_ARRAY_SIZE(lens); i++) {
		owt_store_u32(forge.header + OWT_HDR_LEN, lens[i]);
		forge_header_crc(forge.header, forge.header_len);
		assert_refused(-OWT_E_DAMAGED, "length");
	}
}

Test(hostile, reserved_header_bytes_must_be_zero)
{
	for (unsigned i = OWT_HDR_FLAGS; i < OWT_HDR_BYTES - 4; i++) {
		forge.header[i] = 1;
		forge_header_crc(forge.header, forge.header_len);
		assert_refused(-OWT_E_INVALID, "reserved byte");
		forge.header[i] = 0;
	}
}

/* A file of its own, made of head, the rest of the small one from skip on. */
static void assert_head_refused(const char *head, size_t n, size_t skip, int code)
{
	struct mem m = {.len = 0};
	struct owt_sink sink = mem_sink(&m);
	struct reading r;

	cr_assert(!sink.write(sink.ctx, head, n));
	cr_assert(!sink.write(sink.ctx, small.file.bytes + skip, small.file.len - skip));
	r = read_mem(&m);
	cr_assert_eq(r.ret, code, "%s", r.err.text);
	reading_free(&r);
	mem_free(&m);
}

Test(hostile, transfers_in_text_mode_are_told)
{
	static const char *const heads[] = {
		"\x89OWT\n\x1a\n",   "\x89OWT\r\r\n\x1a\r\n", "\x89OWT\r\n\x1a\r\n",
		"\x09OWT\r\n\x1a\n", "\xc2\x89OWT\r\n\x1a\n", "\xef\xbf\xbdOWT\r\n\x1a\n",
	};

	for (size_t i = 0; i < OWT_ARRAY_SIZE(heads); i++)
		assert_head_refused(heads[i], strlen(heads[i]), 8, -OWT_E_TEXT_MODE);
}

Test(hostile, other_files_are_no_recordings)
{
	assert_head_refused("PERFILE2", 8, 8, -OWT_E_NOT_RECORDING);
	assert_head_refused("\x89PNG\r\n\x1a\n", 8, 8, -OWT_E_NOT_RECORDING);
	assert_head_refused("x", 1, 0, -OWT_E_NOT_RECORDING);
}

/* Chunks */

Test(hostile, an_unknown_optional_chunk_is_skipped_and_counted_anywhere)
{
	for (size_t at = 0; at <= forge.cnt - 1; at++) {
		struct reading r;

		forge_insert(&forge, at, 0x80001234u, OWT_CHUNK_SAFE_TO_COPY, "whatever", 8);
		r = forge_read(&forge);
		cr_assert_eq(r.ret, 0, "%s", r.err.text);
		cr_assert(r.info.complete, "%s", r.info.why_partial);
		cr_assert_eq(r.info.unknown_chunks, 1);
		cr_assert_eq(r.text_len, small.text_len);
		cr_assert(!memcmp(r.text, small.text, r.text_len));
		reading_free(&r);
		forge_done(&forge);
		forge_open(&forge, &small.file);
	}
}

Test(hostile, an_unknown_critical_chunk_is_refused)
{
	forge_insert(&forge, 2, 77, OWT_CHUNK_CRITICAL, "whatever", 8);
	assert_refused(-OWT_E_VERSION, "chunk 2 (unknown, type 77) at byte");
}

Test(hostile, chunk_headers_that_break_a_rule_are_refused)
{
	struct forge_chunk *c = &forge.chunks[1];
	const struct forge_chunk good = *c;

	c->flags |= 8;
	assert_refused(-OWT_E_INVALID, "flags");
	*c = good;
	c->version = 0;
	assert_refused(-OWT_E_INVALID, "type version");
	*c = good;
	c->raw_len = 0;
	assert_refused(-OWT_E_INVALID, "raw length");
	c->raw_len = good.raw_len + 1;
	assert_refused(-OWT_E_INVALID, "stored length: expected the raw length");
	c->raw_len = OWT_CHUNK_RAW_MAX + 1;
	assert_refused(-OWT_E_LIMIT, "raw length is 1048577, the limit of the format is 1048576");
	c->raw_len = UINT32_MAX;
	assert_refused(-OWT_E_LIMIT, "raw length");
	*c = good;
}

Test(hostile, padding_must_be_zero)
{
	const struct forge_chunk *c = &forge.chunks[0];
	const size_t padded = (c->len + 7) / 8 * 8;
	uint8_t *h = small.file.bytes + c->offset;
	struct reading r;

	cr_assert_lt(c->len, padded);
	h[OWT_CHK_BYTES + padded - 1] = 1;
	owt_store_u32(h + OWT_CHK_PAYLOAD_CRC, owt_crc32(0, h + OWT_CHK_BYTES, padded));
	forge_header_crc(h, OWT_CHK_BYTES);
	r = read_mem(&small.file);
	cr_assert_eq(r.ret, -OWT_E_INVALID, "%s", r.err.text);
	cr_assert_not_null(strstr(r.err.text, "padding"), "%s", r.err.text);
	reading_free(&r);
}

Test(hostile, chunks_out_of_their_order_are_refused)
{
	struct forge_chunk swap = forge.chunks[0];

	forge.chunks[0] = forge.chunks[1];
	forge.chunks[1] = swap;
	assert_refused(-OWT_E_INVALID, "expected a later type");
}

Test(hostile, an_end_within_a_slice_is_refused)
{
	size_t at = forge_find(&forge, OWT_CHUNK_SLICE_END, 0);
	const struct forge_chunk *end = &forge.chunks[forge.cnt - 1];

	forge_insert(&forge, at, OWT_CHUNK_END, OWT_CHUNK_CRITICAL, end->bytes, end->len);
	assert_refused(-OWT_E_INVALID, "expected a later type");
}

Test(hostile, a_seal_must_match_the_slice)
{
	size_t at = forge_find(&forge, OWT_CHUNK_STRINGS, 0);

	forge.keep_seals = true;
	forge.chunks[at].flags |= OWT_CHUNK_SAFE_TO_COPY;
	assert_refused(-OWT_E_INVALID, "checksum of the headers");
}

/* Takes chunk at out of the file, with all seals right. */
static void remove_chunk(size_t at)
{
	free(forge.chunks[at].bytes);
	memmove(forge.chunks + at, forge.chunks + at + 1,
		(forge.cnt - at - 1) * sizeof(forge.chunks[0]));
	forge.cnt--;
}

Test(hostile, a_slice_must_hold_the_rows_it_counts)
{
	remove_chunk(forge_find(&forge, OWT_CHUNK_ROWS, 0));
	assert_refused(-OWT_E_INVALID, "row count: expected 0, found 4");
}

/* Another value in a column of a one-record payload whose columns are one number each. */
static void set_seal(size_t at, unsigned cnt, unsigned col, uint64_t value)
{
	struct forge_chunk *c = &forge.chunks[at];
	struct owt_colw w = {.record_cnt = 1};
	struct owt_buf raw = {.len = 0};
	struct owt_colr r;

	cr_assert(!owt_colr_init(&r, owt_chunk_def(c->type), false, c->bytes, c->len));
	for (unsigned i = 0; i < cnt; i++)
		if (i == col)
			cr_assert(!owt_colw_leb(&w, i, value));
		else
			cr_assert(!owt_colw_bytes(&w, i, r.col[i].pos, owt_cursor_left(&r.col[i])));
	cr_assert(!owt_colw_finish(&w, cnt, &raw));
	forge_payload(&forge, at, raw.bytes, raw.len);
	owt_buf_done(&raw);
	owt_colw_done(&w);
}

Test(hostile, a_slice_must_have_its_number)
{
	set_seal(forge_find(&forge, OWT_CHUNK_SLICE_END, 0), 12, 0, 1);
	assert_refused(-OWT_E_INVALID, "slice number: expected 0, found 1");
}

Test(hostile, the_end_must_count_slices_and_rows_right)
{
	set_seal(forge.cnt - 1, 11, 5, 3);
	assert_refused(-OWT_E_INVALID, "slice count: expected 2, found 3");
	set_seal(forge.cnt - 1, 11, 5, 2);
	set_seal(forge.cnt - 1, 11, 6, 9);
	assert_refused(-OWT_E_INVALID, "row count: expected 8, found 9");
	set_seal(forge.cnt - 1, 11, 6, 8);
	assert_read_whole();
}

Test(hostile, a_missing_slice_is_missed_by_the_end)
{
	size_t second = forge_find(&forge, OWT_CHUNK_SLICE_END, 0) + 1;

	while (forge.chunks[second].type != OWT_CHUNK_SLICE_END)
		remove_chunk(second);
	remove_chunk(second);
	assert_refused(-OWT_E_INVALID, "slice count: expected 1, found 2");
}

Test(hostile, what_a_removed_table_defined_cannot_be_named)
{
	remove_chunk(forge_find(&forge, OWT_CHUNK_STRINGS, 0));
	assert_refused(-OWT_E_INVALID, "comm: expected 0 to 0, found");
}

Test(hostile, frames_must_be_defined_before_nodes_name_them)
{
	remove_chunk(forge_find(&forge, OWT_CHUNK_FRAMES, 0));
	assert_refused(-OWT_E_INVALID, "NODES, type 4");
}

/* Payloads */

/* One record with the given columns, each of them one number or bytes. */
static void set_payload(size_t at, const uint64_t *values, unsigned cnt)
{
	struct owt_colw w = {.record_cnt = 1};
	struct owt_buf raw = {.len = 0};

	for (unsigned i = 0; i < cnt; i++)
		cr_assert(!owt_colw_leb(&w, i, values[i]));
	cr_assert(!owt_colw_finish(&w, cnt, &raw));
	forge_payload(&forge, at, raw.bytes, raw.len);
	owt_buf_done(&raw);
	owt_colw_done(&w);
}

Test(hostile, a_mapping_must_not_wrap)
{
	const uint64_t wraps[] = {1, 0, UINT64_MAX - 5, 6, 0}, empty[] = {1, 0, 9, 0, 0};
	size_t at = forge_find(&forge, OWT_CHUNK_MAPPINGS, 0);

	set_payload(at, wraps, 5);
	assert_refused(-OWT_E_INVALID, "mapping 0: column 3 (size): expected at most 5, found 6");
	set_payload(at, empty, 5);
	assert_refused(-OWT_E_INVALID, "mapping 0: mapping end: expected 10 to");
}

/* One symbol; its name column stays empty, which only a good one would come to read. */
static void assert_symbol_refused(uint64_t module, uint64_t process, uint64_t addr, uint64_t size,
				  uint64_t name_len, const char *words)
{
	const uint64_t values[] = {module, process, owt_zigzag(addr), size, name_len, 0};

	set_payload(forge_find(&forge, OWT_CHUNK_SYMBOLS, 0), values, 6);
	assert_refused(-OWT_E_INVALID, words);
}

Test(hostile, a_symbol_has_one_owner_a_size_and_a_name)
{
	assert_symbol_refused(1, 1, 8, 8, 1, "process: expected 0 to 0, found 1");
	assert_symbol_refused(0, 0, 8, 8, 1, "process: expected 1 to ");
	assert_symbol_refused(99, 0, 8, 8, 1, "module: expected 0 to ");
	assert_symbol_refused(1, 0, 8, 0, 1, "symbol size: expected 1 to ");
	assert_symbol_refused(1, 0, UINT64_MAX, 1, 1, "symbol address: expected 0 to ");
	assert_symbol_refused(1, 0, 8, 8, 0, "symbol name length: expected 1 to 4096, found 0");
	assert_symbol_refused(1, 0, 8, 8, 4097, "expected at most 4096, found 4097");
}

Test(hostile, an_account_has_a_thread_and_an_end)
{
	uint64_t values[12] = {1, owt_zigzag(9), 0};
	size_t at = forge_find(&forge, OWT_CHUNK_ACCOUNTS, 0);

	values[0] = 0;
	set_payload(at, values, 12);
	assert_refused(-OWT_E_INVALID, "account 0: thread: expected 1 to ");
	values[0] = 99;
	set_payload(at, values, 12);
	assert_refused(-OWT_E_INVALID, "account 0: thread: expected 1 to ");
	values[0] = 1;
	values[2] = UINT64_MAX - 8;
	set_payload(at, values, 12);
	assert_refused(-OWT_E_INVALID, "account 0: column 2 (length): expected at most");
}

Test(hostile, unknown_losses_are_skipped_and_the_rest_is_read)
{
	size_t at = forge_find(&forge, OWT_CHUNK_SLICE_END, 0);
	struct owt_colw w = {.record_cnt = 1};
	struct owt_buf raw = {.len = 0};
	const uint64_t fixed[] = {0, 1, 2, 3, 4, 5, 4, 0};
	const uint64_t causes[] = {1, 500, 65535};
	char expected[32 + 8 * OWT_LOSS_CNT];
	struct reading r;

	for (unsigned i = 0; i < OWT_ARRAY_SIZE(fixed); i++)
		cr_assert(!owt_colw_leb(&w, i, fixed[i]));
	cr_assert(!owt_colw_leb(&w, 8, OWT_ARRAY_SIZE(causes)));
	for (unsigned i = 0; i < OWT_ARRAY_SIZE(causes); i++) {
		cr_assert(!owt_colw_leb(&w, 9, causes[i]));
		cr_assert(!owt_colw_leb(&w, 10, 40 + i));
		cr_assert(!owt_colw_leb(&w, 11, 50 + i));
	}
	cr_assert(!owt_colw_finish(&w, 12, &raw));
	forge_payload(&forge, at, raw.bytes, raw.len);
	r = forge_read(&forge);
	cr_assert_eq(r.ret, 0, "%s", r.err.text);
	strcpy(expected, "slice 1 2 3 4 5");
	for (unsigned i = 0; i < OWT_LOSS_CNT; i++)
		strcat(expected, i == 1 ? " 40/50" : " 0/0");
	strcat(expected, "\n");
	cr_assert_not_null(strstr(r.text, expected));
	reading_free(&r);
	set_seal(at, 12, 9, 1); /* one cause for three losses */
	assert_refused(-OWT_E_INVALID, "column 9 (loss cause): expected a value");
	owt_buf_done(&raw);
	owt_colw_done(&w);
}

Test(hostile, losses_must_ascend)
{
	size_t at = forge_find(&forge, OWT_CHUNK_SLICE_END, 0);
	static const uint8_t payload[] = {1, 12, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 0,
					  1, 2,	 3, 4, 5, 4, 0, 2, 3, 3, 1, 1, 1, 1};

	forge_payload(&forge, at, payload, sizeof(payload));
	assert_refused(-OWT_E_INVALID, "loss cause: expected at least 4, found 3");
}

Test(hostile, a_stack_deeper_than_the_limit_is_refused)
{
	size_t at = forge_find(&forge, OWT_CHUNK_NODES, 0);
	struct owt_colw w = {.record_cnt = 1};
	struct owt_buf raw = {.len = 0};

	w.record_cnt = OWT_STACK_DEPTH_MAX + 1;
	for (unsigned i = 0; i <= OWT_STACK_DEPTH_MAX; i++) {
		cr_assert(!owt_colw_leb(&w, 0, i > 0));
		cr_assert(!owt_colw_leb(&w, 1, 1));
	}
	cr_assert(!owt_colw_finish(&w, 2, &raw));
	forge_payload(&forge, at, raw.bytes, raw.len);
	assert_refused(-OWT_E_LIMIT, "node 1024: more than 1024 frames in a stack");
	owt_buf_done(&raw);
	owt_colw_done(&w);
}

Test(hostile, symbols_must_ascend_from_payload_to_payload)
{
	size_t at = forge_find(&forge, OWT_CHUNK_KSYMS, 0);
	const struct forge_chunk *c = &forge.chunks[at];

	forge_insert(&forge, at + 1, OWT_CHUNK_KSYMS, OWT_CHUNK_CRITICAL, c->bytes, c->len);
	assert_refused(-OWT_E_INVALID, "symbol 0: symbol address: expected");
}

Test(hostile, the_message_names_chunk_type_offset_expected_and_found)
{
	size_t at = forge_find(&forge, OWT_CHUNK_THREADS, 0);
	const uint64_t values[] = {1, 1, 99};
	char expected[200];

	set_payload(at, values, 3);
	snprintf(expected, sizeof(expected),
		 "chunk %zu (THREADS, type 6) at byte %zu: thread 0: comm: expected 0 to 5, found "
		 "99",
		 at, forge.chunks[at].offset);
	assert_refused(-OWT_E_INVALID, expected);
}

Test(hostile, a_newer_type_version_may_bring_columns)
{
	size_t at = forge_find(&forge, OWT_CHUNK_THREADS, 0);
	const struct owt_chunk_def *def = owt_chunk_def(OWT_CHUNK_THREADS);
	struct forge_chunk *c = &forge.chunks[at];
	struct owt_colw w = {.record_cnt = 1};
	struct owt_buf raw = {.len = 0};
	struct owt_colr r;

	cr_assert(!owt_colr_init(&r, def, false, c->bytes, c->len));
	w.record_cnt = r.record_cnt;
	for (unsigned i = 0; i < def->column_cnt; i++)
		cr_assert(!owt_colw_bytes(&w, i, r.col[i].pos, owt_cursor_left(&r.col[i])));
	cr_assert(!owt_colw_bytes(&w, 3, "new", 3));
	cr_assert(!owt_colw_finish(&w, 5, &raw));
	forge_payload(&forge, at, raw.bytes, raw.len);
	assert_refused(-OWT_E_INVALID, "column count: expected 3, found 5");
	forge.chunks[at].version = 2;
	assert_read_whole();
	owt_buf_done(&raw);
	owt_colw_done(&w);
}

/* Compression */

static void zstd_payload(size_t at, const void *raw, size_t n)
{
	size_t room = ZSTD_compressBound(n);
	uint8_t *z = malloc(room);

	forge_payload(&forge, at, z, ZSTD_compress(z, room, raw, n, 3));
	forge.chunks[at].flags |= OWT_CHUNK_ZSTD;
	forge.chunks[at].raw_len = (uint32_t)n;
	free(z);
}

Test(hostile, sizes_of_compressed_chunks_must_be_true)
{
	size_t at = forge_find(&forge, OWT_CHUNK_ROWS, 0);
	const size_t n = forge.chunks[at].len;
	uint8_t *raw = malloc(n);

	memcpy(raw, forge.chunks[at].bytes, n);
	zstd_payload(at, raw, n);
	assert_read_whole();
	forge.chunks[at].raw_len = (uint32_t)n + 1;
	assert_refused(-OWT_E_INVALID, "states another size than the chunk header");
	forge.chunks[at].raw_len = (uint32_t)n - 1;
	assert_refused(-OWT_E_INVALID, "states another size than the chunk header");
	free(raw);
}

Test(hostile, zeros_are_a_small_bomb_without_a_fuse)
{
	size_t at = forge_find(&forge, OWT_CHUNK_ROWS, 0);
	uint8_t *zeros = calloc(1, OWT_CHUNK_RAW_MAX);

	zstd_payload(at, zeros, OWT_CHUNK_RAW_MAX);
	failalloc_watch();
	assert_refused(-OWT_E_INVALID, "ROWS, type 11");
	cr_assert_leq(failalloc_largest(), 2u << 20);
	free(zeros);
}

/* A payload of rows that compress to nothing: 1 MiB of them. */
static void make_row_bomb(struct owt_buf *raw)
{
	static const uint8_t zeros[OWT_CHUNK_RAW_MAX / 16];
	const unsigned cnt = sizeof(zeros) - 100;
	struct owt_colw w = {.record_cnt = cnt};

	for (unsigned i = 0; i < 16; i++)
		if (i != 4)
			cr_assert(!owt_colw_bytes(&w, i, zeros, cnt));
	for (unsigned i = 0; i < cnt; i++)
		cr_assert(!owt_colw_leb(&w, 4, 1));
	cr_assert(!owt_colw_finish(&w, 16, raw));
	owt_colw_done(&w);
}

/* The file up to the chunk at offset, and that chunk again and again, each with its number. */
static void repeat_chunk(const struct mem *file, size_t offset, uint64_t sequence, unsigned times,
			 struct mem *out)
{
	const uint8_t *h = file->bytes + offset;
	const size_t len = (owt_load_u32(h + OWT_CHK_STORED_LEN) + 7) / 8 * 8;
	struct owt_sink sink = mem_sink(out);
	uint8_t header[OWT_CHK_BYTES];

	cr_assert(!sink.write(sink.ctx, file->bytes, offset));
	for (unsigned i = 0; i < times; i++) {
		memcpy(header, h, sizeof(header));
		owt_store_u64(header + OWT_CHK_SEQUENCE, sequence + i);
		forge_header_crc(header, sizeof(header));
		cr_assert(!sink.write(sink.ctx, header, sizeof(header)));
		cr_assert(!sink.write(sink.ctx, h + OWT_CHK_BYTES, len));
	}
}

Test(hostile, what_a_small_file_unpacks_to_is_bounded)
{
	size_t rows = forge_find(&forge, OWT_CHUNK_ROWS, 0);
	struct mem once = {.len = 0}, bomb = {.len = 0};
	struct owt_buf raw = {.len = 0};
	struct reading r;

	make_row_bomb(&raw);
	zstd_payload(rows, raw.bytes, raw.len);
	forge_build(&forge, &once);
	repeat_chunk(&once, forge.chunks[rows].offset, rows, 400, &bomb);
	cr_assert_lt(bomb.len, 1u << 20);
	r = read_mem(&bomb);
	cr_assert_eq(r.ret, -OWT_E_LIMIT, "%s", r.err.text);
	cr_assert_not_null(strstr(r.err.text, "unpacks to more than the format allows"));
	reading_free(&r);
	owt_buf_done(&raw);
	mem_free(&once);
	mem_free(&bomb);
}

/*
 * Every byte of every payload, changed in ways that hit lengths, counts and ids; checksums
 * hold. What comes out must be a verdict: no crash, no report, no large allocation.
 */
static void mutate_byte(size_t at, size_t byte)
{
	uint8_t *p = forge.chunks[at].bytes + byte;
	const uint8_t old = *p;
	const uint8_t values[] = {0x00, 0xff, (uint8_t)(old + 1), (uint8_t)(old - 1), 0x7f, 0x80};

	for (size_t i = 0; i < OWT_ARRAY_SIZE(values); i++) {
		struct reading r;

		*p = values[i];
		r = forge_read(&forge);
		cr_assert(r.ret == 0 || r.ret == -OWT_E_INVALID || r.ret == -OWT_E_LIMIT,
			  "chunk %zu byte %zu: %d %s", at, byte, r.ret, r.err.text);
		cr_assert(r.ret == 0 ? r.info.complete : r.err.text[0] != '\0');
		reading_free(&r);
	}
	*p = old;
}

Test(hostile, every_changed_payload_byte_gets_a_verdict)
{
	failalloc_watch();
	for (size_t at = 0; at < forge.cnt; at++)
		for (size_t byte = 0; byte < forge.chunks[at].len; byte++)
			mutate_byte(at, byte);
	cr_assert_leq(failalloc_largest(), 4u << 20);
}

Test(hostile, every_shortened_payload_is_refused)
{
	for (size_t at = 0; at < forge.cnt; at++) {
		struct forge_chunk *c = &forge.chunks[at];
		const size_t len = c->len;

		for (c->len = 1; c->len < len; c->len++) {
			struct reading r;

			c->raw_len = (uint32_t)c->len;
			r = forge_read(&forge);
			cr_assert_eq(r.ret, -OWT_E_INVALID, "chunk %zu length %zu: %d %s", at,
				     c->len, r.ret, r.err.text);
			reading_free(&r);
		}
		c->raw_len = (uint32_t)len;
	}
}

Test(hostile, random_payloads_get_a_verdict)
{
	unsigned seed = 5;

	for (unsigned i = 0; i < 3000; i++) {
		size_t at = (size_t)rand_r(&seed) % forge.cnt;
		struct forge_chunk *c = &forge.chunks[at];
		struct reading r;

		for (unsigned k = 0; k < 3; k++)
			c->bytes[(size_t)rand_r(&seed) % c->len] = (uint8_t)rand_r(&seed);
		r = forge_read(&forge);
		cr_assert(r.ret == 0 || r.ret == -OWT_E_INVALID || r.ret == -OWT_E_LIMIT);
		reading_free(&r);
		if (i % 4 == 3) {
			forge_done(&forge);
			forge_open(&forge, &small.file);
		}
	}
}
