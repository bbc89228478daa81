/* SPDX-License-Identifier: Apache-2.0 */
/* The worked example of docs/offwake-trace.5 is what the writer makes, byte for byte. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "columns.h"
#include "parse.h"
#include "sample.h"

static void write_example(struct mem *m)
{
	struct owt_writer_opts opts = {.arch = 62, .store = true};
	const struct owt_slice slice = {.start_ns = 1000,
					.end_ns = 2000,
					.clock = {2000, 9000, 2500},
					.losses = {.count = {[OWT_LOSS_STACK_RING] = 1}}};
	const struct owt_end end = {.start_ns = 1000,
				    .end_ns = 2000,
				    .clock = {2000, 9000, 2500},
				    .losses = slice.losses};
	const struct owt_row row = {.kind = OWT_KIND_BLOCKED,
				    .context = OWT_CTX_HARDIRQ,
				    .state = 1,
				    .target = 1,
				    .target_kstack = 1,
				    .wait_ns = 300,
				    .runq_ns = 20,
				    .count = 2,
				    .max_ns = 250,
				    .max_end_ns = 1900};
	const uint64_t addrs[] = {0xffffffff81000010u, 0xffffffff81000200u};
	struct owt_thread thread = {.tid = 7, .tgid = 7};
	struct owt_sink sink = mem_sink(m);
	struct owt_writer *w = NULL;
	uint32_t id;

	for (unsigned i = 0; i < sizeof(opts.file_id); i++)
		opts.file_id[i] = (uint8_t)(0x10 + i);
	cr_assert(!owt_writer_open(&w, &opts, &sink, NULL));
	cr_assert(!owt_writer_meta(w, "k", "v", NULL));
	cr_assert(!owt_writer_string(w, "sh", 2, &thread.comm, NULL));
	cr_assert(!owt_writer_thread(w, &thread, &id, NULL));
	cr_assert(!owt_writer_stack(w, addrs, 2, OWT_STACK_COMPLETE, 0, &id, NULL));
	cr_assert(!owt_writer_row(w, &row, NULL));
	cr_assert(!owt_writer_end_slice(w, &slice, NULL));
	cr_assert(!owt_writer_end(w, &end, NULL));
	owt_writer_free(w);
}

/* Adds the bytes of one line, "000040  89 4f ...", which must stand at its offset. */
static void take_line(const char *line, struct mem *m)
{
	const char *p = line, *end = line + strlen(line);
	struct owt_sink sink = mem_sink(m);
	uint64_t v;

	cr_assert(!owt_take_u64(&p, end, 16, &v));
	cr_assert_eq(v, m->len, "line \"%s\"", line);
	for (p += strspn(p, " "); p < end && *p != '\n'; p += strspn(p, " ")) {
		uint8_t byte;

		cr_assert(!owt_take_u64(&p, end, 16, &v), "line \"%s\"", line);
		byte = (uint8_t)v;
		cr_assert(!sink.write(sink.ctx, &byte, 1));
	}
}

static void take_page(const char *path, struct mem *m)
{
	FILE *f = fopen(path, "r");
	bool inside = false;
	char line[200];

	cr_assert_not_null(f, "%s: run the tests from the top of the tree", path);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, ".\\\" EXAMPLE", 11))
			inside = !strncmp(line + 12, "BEGIN", 5);
		else if (inside && line[0] == '0')
			take_line(line, m);
	}
	fclose(f);
}

/* For the page, when the format has changed. */
static void print_hex(const struct mem *m)
{
	for (size_t i = 0; i < m->len; i++) {
		if (i % 16 == 0)
			fprintf(stderr, "\n%06zx ", i);
		fprintf(stderr, " %02x", m->bytes[i]);
	}
	fputc('\n', stderr);
}

Test(spec, the_worked_example_is_what_the_writer_makes)
{
	struct mem page = {.len = 0}, made = {.len = 0};
	struct reading r;

	write_example(&made);
	r = read_mem(&made);
	cr_assert(!r.ret && r.info.complete);
	take_page("docs/offwake-trace.5", &page);
	if (page.len != made.len || memcmp(page.bytes, made.bytes, made.len))
		print_hex(&made);
	cr_assert_eq(page.len, made.len);
	cr_assert(!memcmp(page.bytes, made.bytes, made.len));
	reading_free(&r);
	mem_free(&page);
	mem_free(&made);
}

/* Rows ".It N Ta ..." below ".Ss NAME", N counting from 0. */
static unsigned columns_in_page(FILE *f, const char *name)
{
	bool inside = false;
	unsigned cnt = 0;
	char line[200], start[40];

	snprintf(start, sizeof(start), ".Ss %s\n", name);
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		char row[20];

		if (!strncmp(line, ".Ss", 3) || !strncmp(line, ".Sh", 3))
			inside = !strcmp(line, start);
		snprintf(row, sizeof(row), ".It %u Ta ", cnt);
		if (inside && !strncmp(line, row, strlen(row)))
			cnt++;
	}
	return cnt;
}

Test(spec, every_column_has_its_row)
{
	FILE *f = fopen("docs/offwake-trace.5", "r");

	cr_assert_not_null(f);
	for (uint32_t type = OWT_CHUNK_META; type < OWT_CHUNK_TYPE_CNT; type++) {
		const struct owt_chunk_def *def = owt_chunk_def(type);

		if (type == OWT_CHUNK_INDEX || type == OWT_CHUNK_GENERATION)
			continue;
		cr_assert_eq(columns_in_page(f, def->name), def->column_cnt, "%s", def->name);
	}
	fclose(f);
}
