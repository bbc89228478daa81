/* SPDX-License-Identifier: Apache-2.0 */
/* What accidents do to a file: cut, flipped bits, chunks gone, doubled or swapped. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "forge.h"
#include "layout.h"

static void make(struct sample *s, unsigned seed, unsigned slices, bool store)
{
	const struct sample_opts o = {
		.seed = seed, .slices = slices, .stacks = 3, .rows = 4, .ksyms = 4, .store = store};

	cr_assert_eq(sample_make(s, &o), 0);
}

static void make_small(struct sample *s, bool store)
{
	make(s, 11, 3, store);
}

/* What was read is the text of whole slices from the first on. */
static void assert_prefix(const struct sample *s, const struct reading *r)
{
	size_t expected = r->slices ? s->slice_text[r->slices - 1] : 0;

	cr_assert_leq(r->slices, s->slices);
	cr_assert_eq(r->text_len, expected);
	cr_assert(!memcmp(r->text, s->text, expected));
	cr_assert_not(r->info.complete);
}

static void flip_every_bit(bool store)
{
	struct sample s;

	make(&s, 2, 2, store); /* a seed of little content: there are many bits */
	cr_assert_lt(s.file.len, 6000);
	for (size_t bit = 0; bit < s.file.len * 8; bit++) {
		struct reading r;

		s.file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		r = read_mem(&s.file);
		/* END may have been delivered only when the fault lies after it: nothing does. */
		assert_prefix(&s, &r);
		cr_assert(r.ret ? r.err.text[0] : r.info.why_partial[0], "bit %zu is not told",
			  bit);
		cr_assert_eq(r.ret == 0, r.slices > 0, "bit %zu: %s", bit, r.err.text);
		s.file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		reading_free(&r);
	}
	sample_free(&s);
}

Test(damage, every_flipped_bit_is_found_in_a_stored_recording)
{
	flip_every_bit(true);
}

Test(damage, every_flipped_bit_is_found_in_a_compressed_recording)
{
	flip_every_bit(false);
}

static void assert_cut(const struct sample *s, struct mem *cut)
{
	unsigned slices = 0;
	struct reading r = read_mem(cut);

	while (slices < s->slices && s->slice_file[slices] <= cut->len)
		slices++;
	assert_prefix(s, &r);
	cr_assert_eq(r.slices, slices, "length %zu", cut->len);
	if (slices) {
		cr_assert_eq(r.ret, 0, "%s", r.err.text);
		cr_assert_eq(r.info.dropped_bytes, cut->len - s->slice_file[slices - 1]);
		cr_assert_eq(r.info.slices, slices);
		cr_assert_not_null(strstr(r.info.why_partial, "the recording was cut short"));
	} else {
		cr_assert_eq(r.ret, -OWT_E_TRUNCATED, "length %zu: %s", cut->len, r.err.text);
	}
	reading_free(&r);
}

Test(damage, every_truncation_keeps_the_committed_slices)
{
	for (unsigned store = 0; store < 2; store++) {
		struct sample s;
		struct mem cut;

		make_small(&s, store);
		cut = s.file;
		for (cut.len = 0; cut.len < s.file.len; cut.len++)
			assert_cut(&s, &cut);
		sample_free(&s);
	}
}

Test(damage, a_cut_names_chunk_offset_and_what_is_kept)
{
	struct sample s;
	struct reading r;
	char expected[200];
	struct forge f;

	make_small(&s, true);
	forge_open(&f, &s.file);
	s.file.len = f.chunks[f.cnt - 1].offset + 50;
	r = read_mem(&s.file);
	snprintf(expected, sizeof(expected),
		 "the recording was cut short: it ends inside chunk %zu at byte %zu; 3 slices are "
		 "kept",
		 f.cnt - 1, s.file.len);
	cr_assert_str_eq(r.info.why_partial, expected);
	reading_free(&r);
	s.file.len = f.chunks[f.cnt - 1].offset;
	r = read_mem(&s.file);
	snprintf(expected, sizeof(expected),
		 "the recording was cut short: it ends without an END chunk at byte %zu; 3 slices "
		 "are "
		 "kept",
		 s.file.len);
	cr_assert_str_eq(r.info.why_partial, expected);
	reading_free(&r);
	forge_done(&f);
	sample_free(&s);
}

/* The bytes of chunk at; the end of the file for the number of chunks. */
static size_t start_of(const struct forge *f, const struct sample *s, size_t at)
{
	return at < f->cnt ? f->chunks[at].offset : s->file.len;
}

/* Copies the file up to chunk at and from chunk from on, with the given bytes between. */
static struct mem splice(const struct forge *f, const struct sample *s, size_t at, size_t from)
{
	size_t head = start_of(f, s, at), tail = start_of(f, s, from);
	struct mem m = {.len = 0};
	struct owt_sink sink = mem_sink(&m);

	cr_assert(!sink.write(sink.ctx, s->file.bytes, head));
	cr_assert(!sink.write(sink.ctx, s->file.bytes + tail, s->file.len - tail));
	return m;
}

static void assert_ends_before(const struct sample *s, struct mem *m, size_t offset)
{
	unsigned slices = 0;
	struct reading r = read_mem(m);

	while (slices < s->slices && s->slice_file[slices] <= offset)
		slices++;
	assert_prefix(s, &r);
	cr_assert_eq(r.slices, slices);
	cr_assert_eq(r.ret == 0, slices > 0);
	reading_free(&r);
}

Test(damage, chunks_that_are_gone_end_the_reading_there)
{
	struct sample s;
	struct forge f;

	make_small(&s, true);
	forge_open(&f, &s.file);
	for (size_t i = 0; i < f.cnt; i++) {
		struct mem m = splice(&f, &s, i, i + 1);

		assert_ends_before(&s, &m, f.chunks[i].offset);
		mem_free(&m);
	}
	forge_done(&f);
	sample_free(&s);
}

Test(damage, chunks_that_come_twice_end_the_reading_there)
{
	struct sample s;
	struct forge f;

	make_small(&s, true);
	forge_open(&f, &s.file);
	for (size_t i = 0; i + 1 < f.cnt; i++) {
		struct mem m = splice(&f, &s, i + 1, i);

		assert_ends_before(&s, &m, f.chunks[i + 1].offset);
		mem_free(&m);
	}
	forge_done(&f);
	sample_free(&s);
}

Test(damage, chunks_that_changed_places_end_the_reading_there)
{
	struct sample s;
	struct forge f;

	make_small(&s, true);
	forge_open(&f, &s.file);
	for (size_t i = 0; i + 1 < f.cnt; i++) {
		size_t a = start_of(&f, &s, i), b = start_of(&f, &s, i + 1);
		size_t end = start_of(&f, &s, i + 2);
		struct mem m = {.len = 0};
		struct owt_sink sink = mem_sink(&m);

		cr_assert(!sink.write(sink.ctx, s.file.bytes, a));
		cr_assert(!sink.write(sink.ctx, s.file.bytes + b, end - b));
		cr_assert(!sink.write(sink.ctx, s.file.bytes + a, b - a));
		cr_assert(!sink.write(sink.ctx, s.file.bytes + end, s.file.len - end));
		assert_ends_before(&s, &m, a);
		mem_free(&m);
	}
	forge_done(&f);
	sample_free(&s);
}

Test(damage, missing_and_repeated_chunks_are_named)
{
	struct sample s;
	struct reading r;
	struct forge f;
	struct mem m;

	make_small(&s, true);
	forge_open(&f, &s.file);
	m = splice(&f, &s, f.cnt - 4, f.cnt - 1);
	r = read_mem(&m);
	cr_assert_not_null(strstr(r.info.why_partial, "are missing at byte"), "%s",
			   r.info.why_partial);
	reading_free(&r);
	mem_free(&m);
	m = splice(&f, &s, f.cnt - 1, f.cnt - 2);
	r = read_mem(&m);
	cr_assert_not_null(strstr(r.info.why_partial, "appears again at byte"), "%s",
			   r.info.why_partial);
	reading_free(&r);
	mem_free(&m);
	forge_done(&f);
	sample_free(&s);
}

Test(damage, bytes_after_the_end_are_counted_and_named)
{
	char expected[100];
	struct sample s;
	struct reading r;
	struct owt_sink sink;
	size_t end;

	make_small(&s, true);
	end = s.file.len;
	sink = mem_sink(&s.file);
	cr_assert(!sink.write(sink.ctx, "0123456789", 10));
	r = read_mem(&s.file);
	snprintf(expected, sizeof(expected), "10 bytes follow the end of the recording at byte %zu",
		 end);
	cr_assert_eq(r.ret, 0);
	cr_assert_not(r.info.complete);
	cr_assert_str_eq(r.info.why_partial, expected);
	cr_assert_eq(r.info.dropped_bytes, 10);
	cr_assert_eq(r.text_len, s.text_len, "all of the recording is there");
	reading_free(&r);
	sample_free(&s);
}

Test(damage, a_chunk_of_another_recording_is_no_part_of_this_one)
{
	const struct sample_opts o = {
		.seed = 12, .slices = 3, .stacks = 3, .rows = 4, .ksyms = 4, .store = true};
	struct sample s, other;
	struct reading r;
	struct mem m = {.len = 0};
	struct owt_sink sink = mem_sink(&m);

	make_small(&s, true);
	cr_assert_eq(sample_make(&other, &o), 0);
	cr_assert(!sink.write(sink.ctx, s.file.bytes, OWT_HDR_BYTES));
	cr_assert(!sink.write(sink.ctx, other.file.bytes + OWT_HDR_BYTES,
			      other.file.len - OWT_HDR_BYTES));
	r = read_mem(&m);
	cr_assert_eq(r.ret, -OWT_E_DAMAGED);
	cr_assert_not_null(strstr(r.err.text, "belongs to another recording"), "%s", r.err.text);
	reading_free(&r);
	mem_free(&m);
	sample_free(&s);
	sample_free(&other);
}

static ptrdiff_t broken_read(void *ctx, void *bytes, size_t n)
{
	struct mem *m = ctx;
	struct owt_source source = {.ctx = NULL};
	size_t pos = m->pos;
	ptrdiff_t got;

	source = mem_source(m);
	m->pos = pos;
	got = source.read(source.ctx, bytes, n < 100 ? n : 100);
	return got ? got : -5;
}

Test(damage, an_error_of_the_source_is_an_error_after_slices_too)
{
	struct owt_source source = {.read = broken_read};
	struct sample s;
	struct reading r;

	make_small(&s, true);
	s.file.len = s.slice_file[1] + 60;
	source.ctx = &s.file;
	r = read_all(&source);
	cr_assert_eq(r.ret, -5);
	cr_assert_eq(r.slices, 2);
	cr_assert_not_null(strstr(r.err.text, "Input/output error"), "%s", r.err.text);
	reading_free(&r);
	sample_free(&s);
}
