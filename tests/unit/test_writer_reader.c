/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "layout.h"
#include "sample.h"

static void assert_same(const struct sample *s, const struct reading *r)
{
	cr_assert_eq(r->ret, 0, "%s", r->err.text);
	cr_assert(r->info.complete, "%s", r->info.why_partial);
	cr_assert_eq(r->text_len, s->text_len);
	cr_assert(!memcmp(r->text, s->text, s->text_len));
	cr_assert_eq(r->info.slices, s->slices);
	cr_assert_eq(r->info.bytes, s->file.len);
	cr_assert_eq(r->info.dropped_bytes, 0);
}

static void round_trip(const struct sample_opts *opts)
{
	struct sample s;
	struct reading r;

	cr_assert_eq(sample_make(&s, opts), 0);
	r = read_mem(&s.file);
	assert_same(&s, &r);
	reading_free(&r);
	sample_free(&s);
}

Test(writer_reader, generated_recordings_come_back_as_they_were)
{
	for (unsigned seed = 0; seed < 300; seed++) {
		const struct sample_opts o = {.seed = seed,
					      .slices = seed % 4,
					      .stacks = seed % 30,
					      .rows = seed % 50,
					      .ksyms = seed % 40,
					      .store = seed & 1,
					      .level = (int)(seed % 20)};

		round_trip(&o);
	}
}

Test(writer_reader, tables_of_several_chunks_come_back)
{
	const struct sample_opts big = {
		.seed = 7, .slices = 2, .stacks = 20000, .rows = 60000, .ksyms = 90000};
	struct sample_opts stored = big;

	stored.store = true;
	stored.slices = 1;
	round_trip(&big);
	round_trip(&stored);
}

Test(writer_reader, a_source_may_give_bytes_in_any_portions)
{
	const struct sample_opts o = {
		.seed = 3, .slices = 3, .stacks = 40, .rows = 100, .ksyms = 100};
	struct sample s;

	cr_assert_eq(sample_make(&s, &o), 0);
	for (unsigned i = 0; i < 20; i++) {
		struct reading r;

		s.file.chop = i < 17 ? i + 1 : 0;
		s.file.random = i < 17 ? 0 : i;
		r = read_mem(&s.file);
		assert_same(&s, &r);
		reading_free(&r);
	}
	sample_free(&s);
}

Test(writer_reader, the_same_calls_give_the_same_bytes)
{
	for (unsigned store = 0; store < 2; store++) {
		const struct sample_opts o = {.seed = 9,
					      .slices = 3,
					      .stacks = 300,
					      .rows = 300,
					      .ksyms = 200,
					      .store = store};
		struct sample a, b;

		cr_assert_eq(sample_make(&a, &o), 0);
		cr_assert_eq(sample_make(&b, &o), 0);
		cr_assert_eq(a.file.len, b.file.len);
		cr_assert(!memcmp(a.file.bytes, b.file.bytes, a.file.len));
		sample_free(&a);
		sample_free(&b);
	}
}

Test(writer_reader, a_failed_write_leaves_the_committed_slices_readable)
{
	const struct sample_opts whole = {
		.seed = 5, .slices = 4, .stacks = 10, .rows = 10, .ksyms = 10};
	struct sample all;
	unsigned n = 1;
	int ret;

	cr_assert_eq(sample_make(&all, &whole), 0);
	do {
		struct sample_opts o = whole;
		struct reading r;
		struct sample s;

		o.writes_left = n++;
		ret = sample_make(&s, &o);
		r = read_mem(&s.file);
		cr_assert_eq(r.slices, s.slices);
		cr_assert_eq(r.text_len, s.text_len);
		cr_assert(!memcmp(r.text, all.text, r.text_len));
		cr_assert_eq(r.info.complete, !ret);
		cr_assert(!ret || ret == -ENOSPC);
		reading_free(&r);
		sample_free(&s);
	} while (ret);
	cr_assert_gt(n, 20);
	sample_free(&all);
}

static struct owt_writer *open_writer(struct mem *m)
{
	const struct owt_writer_opts opts = {.file_id = {1}, .arch = 62, .store = true};
	struct owt_sink sink = mem_sink(m);
	struct owt_writer *w = NULL;

	cr_assert_eq(owt_writer_open(&w, &opts, &sink, NULL), 0);
	return w;
}

Test(writer_reader, after_a_write_error_nothing_goes_on)
{
	struct mem m = {.writes_left = 2};
	struct owt_writer *w = open_writer(&m);
	const struct owt_slice slice = {.end_ns = 1};
	const struct owt_end end = {.end_ns = 1};
	struct owt_err err = {.code = 0};
	uint32_t id;

	cr_assert_eq(owt_writer_end_slice(w, &slice, &err), -ENOSPC);
	cr_assert_not_null(strstr(err.text, "No space left"));
	cr_assert_eq(owt_writer_end_slice(w, &slice, NULL), -ENOSPC);
	cr_assert_eq(owt_writer_string(w, "x", 1, &id, NULL), -ENOSPC);
	cr_assert_eq(owt_writer_meta(w, "k", "v", NULL), -ENOSPC);
	cr_assert_eq(owt_writer_end(w, &end, NULL), -ENOSPC);
	owt_writer_free(w);
	mem_free(&m);
}

Test(writer_reader, equal_content_gets_equal_ids)
{
	const uint64_t a[] = {3, 2, 1}, b[] = {4, 2, 1};
	const struct owt_thread t = {7, 8, 0};
	struct mem m = {.len = 0};
	struct owt_writer *w = open_writer(&m);
	uint32_t first, again;

	cr_assert(!owt_writer_stack(w, a, 3, OWT_STACK_COMPLETE, 0, &first, NULL));
	cr_assert(!owt_writer_stack(w, b, 3, OWT_STACK_COMPLETE, 0, &again, NULL));
	cr_assert_neq(first, again);
	cr_assert(!owt_writer_stack(w, a, 3, OWT_STACK_COMPLETE, 0, &again, NULL));
	cr_assert_eq(first, again);
	cr_assert(!owt_writer_stack(w, a, 3, OWT_STACK_TRUNCATED, 0, &again, NULL));
	cr_assert_neq(first, again);
	cr_assert(!owt_writer_stack(w, NULL, 0, OWT_STACK_COMPLETE, 0, &again, NULL));
	cr_assert_eq(again, 0, "no frames and nothing wrong is no stack");
	cr_assert(!owt_writer_stack(w, NULL, 0, OWT_STACK_WALK_FAILED, 14, &again, NULL));
	cr_assert_neq(again, 0);
	cr_assert(!owt_writer_thread(w, &t, &first, NULL));
	cr_assert(!owt_writer_thread(w, &t, &again, NULL));
	cr_assert_eq(first, again);
	cr_assert(!owt_writer_string(w, "", 0, &again, NULL));
	cr_assert_eq(again, 0, "the empty string is id 0");
	cr_assert_eq(owt_writer_stacks(w), 4);
	owt_writer_free(w);
	mem_free(&m);
}

/* One thread and one stack are defined; each step breaks one rule of a good row. */
static void break_row(struct owt_row *r, unsigned step)
{
	switch (step) {
	case 0:
		r->kind = OWT_KIND_CNT;
		break;
	case 1:
		r->context = OWT_CTX_CNT;
		break;
	case 2:
		r->flags = 4;
		break;
	case 3:
		r->target = 0;
		break;
	case 4:
		r->target = 2;
		break;
	case 5:
		r->waker = 2;
		break;
	case 6:
		r->context = OWT_CTX_NONE;
		break;
	case 7:
		r->interrupted = 2;
		break;
	case 8:
		r->target_kstack = 2;
		break;
	case 9:
		r->target_ustack = 2;
		break;
	case 10:
		r->waker_kstack = 2;
		break;
	default:
		r->waker_ustack = 2;
		break;
	}
}

Test(writer_reader, rows_that_break_a_rule_are_refused_and_change_nothing)
{
	const struct owt_row good = {.context = OWT_CTX_TASK,
				     .target = 1,
				     .waker = 1,
				     .interrupted = 1,
				     .target_kstack = 1,
				     .count = 1};
	const struct owt_thread t = {7, 8, 0};
	const uint64_t addr = 5;
	struct mem m = {.len = 0};
	struct owt_writer *w = open_writer(&m);
	uint32_t id;

	cr_assert(!owt_writer_thread(w, &t, &id, NULL));
	cr_assert(!owt_writer_stack(w, &addr, 1, OWT_STACK_COMPLETE, 0, &id, NULL));
	for (unsigned step = 0; step < 12; step++) {
		struct owt_err err = {.code = 0};
		struct owt_row r = good;

		break_row(&r, step);
		cr_assert_eq(owt_writer_row(w, &r, &err), -EINVAL, "step %u", step);
		cr_assert_not_null(strstr(err.text, "row: "));
	}
	cr_assert_eq(owt_writer_rows(w), 0);
	cr_assert(!owt_writer_row(w, &good, NULL));
	cr_assert_eq(owt_writer_rows(w), 1);
	owt_writer_free(w);
	mem_free(&m);
}

Test(writer_reader, other_records_that_break_a_rule_are_refused)
{
	static char text[OWT_META_VALUE_MAX + 2];
	static uint64_t addrs[OWT_STACK_DEPTH_MAX + 1];
	const struct owt_thread t = {7, 8, 1};
	const struct owt_process p = {.exe = 1};
	const struct owt_mapping none = {.process = 1, .start = 1, .end = 2};
	const struct owt_slice slice = {.start_ns = 2, .end_ns = 1};
	static struct owt_module mod = {.segment_cnt = OWT_SEGMENTS_MAX + 1};
	struct owt_ksym k = {.addr = 10, .type = 'T', .name = {"f", 1}};
	struct mem m = {.len = 0};
	struct owt_writer *w = open_writer(&m);
	uint32_t id = 77;

	memset(text, 'x', sizeof(text) - 1);
	cr_assert_eq(owt_writer_string(w, text, OWT_STRING_MAX + 1, &id, NULL), -EINVAL);
	cr_assert_eq(owt_writer_meta(w, "k", text, NULL), -EINVAL);
	cr_assert_eq(owt_writer_meta(w, "", "v", NULL), -EINVAL);
	cr_assert_eq(owt_writer_stack(w, addrs, OWT_STACK_DEPTH_MAX + 1, 0, 0, &id, NULL), -EINVAL);
	cr_assert_eq(owt_writer_stack(w, addrs, 1, OWT_STACK_STATUS_CNT, 0, &id, NULL), -EINVAL);
	cr_assert_eq(owt_writer_stack(w, addrs, 1, 0, OWT_STACK_ERROR_MAX + 1, &id, NULL), -EINVAL);
	cr_assert_eq(owt_writer_thread(w, &t, &id, NULL), -EINVAL);
	cr_assert_eq(owt_writer_process(w, &p, &id, NULL), -EINVAL);
	cr_assert_eq(owt_writer_module(w, &mod, &id, NULL), -EINVAL);
	cr_assert_eq(owt_writer_mapping(w, &none, NULL), -EINVAL);
	cr_assert_eq(owt_writer_end_slice(w, &slice, NULL), -EINVAL);
	cr_assert_eq(id, 77, "outputs stay untouched on failure");
	cr_assert(!owt_writer_ksym(w, &k, NULL));
	cr_assert(!owt_writer_ksym(w, &k, NULL), "two symbols may share an address");
	k.addr = 9;
	cr_assert_eq(owt_writer_ksym(w, &k, NULL), -EINVAL);
	owt_writer_free(w);
	mem_free(&m);
}

Test(writer_reader, the_longest_records_come_back)
{
	static char text[OWT_META_VALUE_MAX + 1];
	static uint64_t addrs[OWT_STACK_DEPTH_MAX];
	const struct owt_slice slice = {.end_ns = 1};
	const struct owt_end end = {.end_ns = 1};
	struct mem m = {.len = 0};
	struct owt_writer *w = open_writer(&m);
	struct reading r;
	uint32_t id;

	memset(text, 'x', sizeof(text) - 1);
	for (unsigned i = 0; i < OWT_STACK_DEPTH_MAX; i++)
		addrs[i] = UINT64_MAX - i;
	cr_assert(!owt_writer_meta(w, "k", text, NULL));
	cr_assert(!owt_writer_string(w, text, OWT_STRING_MAX, &id, NULL));
	cr_assert(!owt_writer_stack(w, addrs, OWT_STACK_DEPTH_MAX, 0, 0, &id, NULL));
	cr_assert(!owt_writer_end_slice(w, &slice, NULL));
	cr_assert(!owt_writer_end(w, &end, NULL));
	owt_writer_free(w);
	r = read_mem(&m);
	cr_assert_eq(r.ret, 0, "%s", r.err.text);
	cr_assert(r.info.complete);
	cr_assert_gt(r.text_len, OWT_META_VALUE_MAX + OWT_STRING_MAX + 16 * OWT_STACK_DEPTH_MAX);
	reading_free(&r);
	mem_free(&m);
}

Test(writer_reader, an_end_is_final_and_needs_its_records_in_a_slice)
{
	const struct owt_slice slice = {.end_ns = 1};
	const struct owt_end end = {.end_ns = 1};
	struct mem m = {.len = 0};
	struct owt_writer *w = open_writer(&m);
	uint32_t id;

	cr_assert(!owt_writer_string(w, "x", 1, &id, NULL));
	cr_assert_eq(owt_writer_end(w, &end, NULL), -EINVAL);
	cr_assert(!owt_writer_end_slice(w, &slice, NULL));
	cr_assert(!owt_writer_end(w, &end, NULL));
	cr_assert_eq(owt_writer_end(w, &end, NULL), -EINVAL);
	cr_assert_eq(owt_writer_meta(w, "k", "v", NULL), -EINVAL);
	cr_assert_eq(owt_writer_bytes(w), m.len);
	owt_writer_free(w);
	mem_free(&m);
}

Test(writer_reader, a_recording_needs_a_file_id)
{
	const struct owt_writer_opts opts = {.arch = 62};
	struct mem m = {.len = 0};
	struct owt_sink sink = mem_sink(&m);
	struct owt_writer *w = NULL;

	cr_assert_eq(owt_writer_open(&w, &opts, &sink, NULL), -EINVAL);
	cr_assert_null(w);
	cr_assert_eq(m.len, 0);
	owt_writer_free(NULL);
	owt_reader_free(NULL);
}

/* Each slice of rows may take what a reader accepts: 64 MiB, and no byte more. */
Test(writer_reader, a_slice_that_is_full_says_so_and_can_be_ended)
{
	const struct owt_slice slice = {.end_ns = 1};
	const struct owt_end end = {.end_ns = 1};
	struct owt_row row = {.target = 1, .wait_ns = UINT64_MAX / 2, .count = UINT64_MAX};
	const struct owt_thread t = {7, 8, 0};
	struct mem m = {.len = 0};
	struct owt_writer *w = open_writer(&m);
	uint64_t rows = 0;
	struct reading r;
	uint32_t id;
	int ret;

	cr_assert(!owt_writer_thread(w, &t, &id, NULL));
	for (; !(ret = owt_writer_row(w, &row, NULL)); rows++)
		row.max_end_ns = ~row.max_end_ns / 3 + rows;
	cr_assert_eq(ret, -OWT_E_LIMIT);
	cr_assert(!owt_writer_end_slice(w, &slice, NULL));
	cr_assert_leq(owt_writer_bytes(w), OWT_HDR_BYTES + OWT_SLICE_STORED_MAX);
	cr_assert(!owt_writer_row(w, &row, NULL));
	cr_assert(!owt_writer_end_slice(w, &slice, NULL));
	cr_assert(!owt_writer_end(w, &end, NULL));
	owt_writer_free(w);
	r = read_mem(&m);
	cr_assert_eq(r.ret, 0, "%s", r.err.text);
	cr_assert(r.info.complete, "%s", r.info.why_partial);
	cr_assert_gt(rows, 1000000);
	reading_free(&r);
	mem_free(&m);
}

static void write_repetitive(struct owt_writer *w, size_t bytes)
{
	static char text[OWT_STRING_MAX];
	const struct owt_slice slice = {.end_ns = 1};
	const struct owt_end end = {.end_ns = 1};
	uint32_t id;

	memset(text, 'x', sizeof(text));
	for (uint32_t i = 0; i < bytes / sizeof(text); i++) {
		memcpy(text, &i, sizeof(i));
		cr_assert(!owt_writer_string(w, text, sizeof(text), &id, NULL));
		if (i % 4096 == 0)
			cr_assert(!owt_writer_end_slice(w, &slice, NULL));
	}
	cr_assert(!owt_writer_end_slice(w, &slice, NULL));
	cr_assert(!owt_writer_end(w, &end, NULL));
}

/* Readers bound what a small file may unpack to: writers must not make files beyond it. */
Test(writer_reader, content_that_compresses_too_well_is_stored_in_time)
{
	const struct owt_writer_opts opts = {.file_id = {1}};
	struct mem m = {.len = 0};
	struct owt_sink sink = mem_sink(&m);
	struct owt_source source;
	struct owt_writer *w = NULL;
	struct owt_reader *r = NULL;
	struct owt_record rec;
	struct owt_err err = {.code = 0};
	int ret;

	cr_assert(!owt_writer_open(&w, &opts, &sink, NULL));
	write_repetitive(w, OWT_RAW_BASE_MAX + (48u << 20));
	owt_writer_free(w);
	cr_assert_gt(m.len, 1u << 20, "some chunks must have been stored");
	cr_assert_lt(m.len, 64u << 20);
	source = mem_source(&m);
	cr_assert(!owt_reader_open(&r, &source, NULL));
	while ((ret = owt_reader_next(r, &rec, &err)) > 0)
		;
	cr_assert_eq(ret, 0, "%s", err.text);
	cr_assert(owt_reader_info(r)->complete);
	owt_reader_free(r);
	mem_free(&m);
}

/* What a symbol leaves out, as it is that of the symbol before, is said again in each payload. */
Test(writer_reader, a_module_of_many_symbols_keeps_its_name_across_chunks)
{
	const struct owt_slice slice = {.end_ns = 1};
	const struct owt_end end = {.end_ns = 1};
	struct mem m = {.len = 0};
	struct owt_writer *w = open_writer(&m);
	const char *p;
	struct reading r;
	unsigned cnt = 0;

	for (unsigned i = 0; i < 40000; i++) {
		char name[64];
		const struct owt_ksym k = {
			.addr = i * 16,
			.type = 't',
			.module = {"ext4", 4},
			.name = {name, (size_t)sprintf(name, "ext4_long_function_name_%08u", i)}};

		cr_assert(!owt_writer_ksym(w, &k, NULL));
	}
	cr_assert(!owt_writer_end_slice(w, &slice, NULL));
	cr_assert(!owt_writer_end(w, &end, NULL));
	owt_writer_free(w);
	r = read_mem(&m);
	cr_assert(!r.ret && r.info.complete, "%s", r.err.text);
	cr_assert_gt(r.info.chunks, 3);
	for (p = r.text; (p = strstr(p, " 4:ext4\n")); p++)
		cnt++;
	cr_assert_eq(cnt, 40000);
	reading_free(&r);
	mem_free(&m);
}
