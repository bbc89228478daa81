/* SPDX-License-Identifier: Apache-2.0 */
/* Each allocation fails once, and each one with all after it: no crash, no leak, an error. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include "failalloc.h"
#include "sample.h"

static int write_something(struct mem *m)
{
	const struct owt_writer_opts opts = {.file_id = {1}, .arch = 62};
	const struct owt_ksym k = {.addr = 10, .type = 'T', .name = {"f", 1}};
	const struct owt_row row = {.target = 1, .target_kstack = 1};
	const struct owt_slice slice = {.end_ns = 1};
	const struct owt_end end = {.end_ns = 1};
	const struct owt_thread thread = {1, 2, 1};
	struct owt_sink sink = mem_sink(m);
	struct owt_writer *w = NULL;
	uint64_t addrs[90];
	uint32_t id;
	int ret = owt_writer_open(&w, &opts, &sink, NULL);

	for (unsigned i = 0; i < 90; i++)
		addrs[i] = 1000 + i;
	if (!ret)
		ret = owt_writer_meta(w, "key", "value", NULL);
	if (!ret)
		ret = owt_writer_string(w, "comm", 4, &id, NULL);
	if (!ret)
		ret = owt_writer_thread(w, &thread, &id, NULL);
	if (!ret)
		ret = owt_writer_stack(w, addrs, 90, 0, 0, &id, NULL);
	if (!ret)
		ret = owt_writer_ksym(w, &k, NULL);
	if (!ret)
		ret = owt_writer_row(w, &row, NULL);
	if (!ret)
		ret = owt_writer_end_slice(w, &slice, NULL);
	if (!ret)
		ret = owt_writer_end(w, &end, NULL);
	owt_writer_free(w);
	return ret;
}

static void fail_writing(bool sticky)
{
	unsigned n = 1;
	bool hit;

	do {
		struct mem m = {.bytes = malloc(100000), .cap = 100000};
		int ret;

		failalloc_arm(n++, sticky);
		ret = write_something(&m);
		hit = failalloc_disarm();
		cr_assert_eq(ret, hit ? -ENOMEM : 0, "allocation %u: %d", n - 1, ret);
		mem_free(&m);
	} while (hit);
	cr_assert_gt(n, 50);
}

Test(memory, a_writer_survives_each_failed_allocation)
{
	fail_writing(false);
	fail_writing(true);
}

static int read_quietly(struct mem *m)
{
	struct owt_source source = mem_source(m);
	struct owt_reader *r = NULL;
	struct owt_record rec;
	int ret = owt_reader_open(&r, &source, NULL);

	while (!ret && (ret = owt_reader_next(r, &rec, NULL)) > 0)
		ret = 0;
	owt_reader_free(r);
	return ret;
}

static void fail_reading(struct mem *m, bool sticky)
{
	unsigned n = 1;
	bool hit;

	do {
		int ret;

		failalloc_arm(n++, sticky);
		ret = read_quietly(m);
		hit = failalloc_disarm();
		cr_assert_eq(ret, hit ? -ENOMEM : 0, "allocation %u: %d", n - 1, ret);
	} while (hit);
	cr_assert_gt(n, 10);
}

Test(memory, a_reader_survives_each_failed_allocation)
{
	const struct sample_opts o = {
		.seed = 2, .slices = 3, .stacks = 50, .rows = 60, .ksyms = 50};
	struct sample s;

	cr_assert_eq(sample_make(&s, &o), 0);
	fail_reading(&s.file, false);
	fail_reading(&s.file, true);
	sample_free(&s);
}
