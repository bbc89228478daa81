/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "mapevents.h"

#define TIME_NS 123456789ull

/* A record as the kernel lays it out; sample_id stands at its end. */
struct record {
	uint8_t bytes[512];
	size_t len;
};

static void put(struct record *r, const void *bytes, size_t len)
{
	memcpy(r->bytes + r->len, bytes, len);
	r->len += len;
}

static void put32(struct record *r, uint32_t v)
{
	put(r, &v, sizeof(v));
}

static void put64(struct record *r, uint64_t v)
{
	put(r, &v, sizeof(v));
}

static struct record begin(uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };
	struct record r = { .len = 0 };

	put(&r, &h, sizeof(h));
	return r;
}

static void end(struct record *r)
{
	struct perf_event_header h;

	put32(r, 70);
	put32(r, 71);
	put64(r, TIME_NS);
	memcpy(&h, r->bytes, sizeof(h));
	h.size = (uint16_t)r->len;
	memcpy(r->bytes, &h, sizeof(h));
}

static struct record mmap2(uint16_t misc, const uint8_t id[24], uint64_t len, const char path[16])
{
	struct record r = begin(PERF_RECORD_MMAP2, misc);

	put32(&r, 10);
	put32(&r, 11);
	put64(&r, 0x400000);
	put64(&r, len);
	put64(&r, 0x2000);
	put(&r, id, 24);
	put32(&r, PROT_READ | PROT_EXEC);
	put32(&r, MAP_PRIVATE);
	put(&r, path, 16);
	end(&r);
	return r;
}

Test(mapevents, a_mapping_has_a_build_id_or_an_inode)
{
	static const uint8_t build[24] = { 20, 0, 0, 0, 0xaa, 0xbb };
	static const uint8_t inode[24] = { 0xfe, 0, 0, 0, 1, 0, 0, 0, 0x39, 0x30 };
	struct record r = mmap2(1 << 14, build, 0x1000, "/usr/bin/a\0\0\0\0\0");
	struct rec_mapevent e;

	cr_assert_eq(rec_mapevent_parse(r.bytes, r.len, &e), 1);
	cr_expect_eq(e.type, REC_EVENT_MAP);
	cr_expect_eq(e.time_ns, TIME_NS);
	cr_expect_eq(e.tgid, 10);
	cr_expect_eq(e.map.start, 0x400000);
	cr_expect_eq(e.map.end, 0x401000);
	cr_expect_eq(e.map.offset, 0x2000);
	cr_expect(e.map.is_exec);
	cr_expect_eq(e.map.path_len, strlen("/usr/bin/a"));
	cr_expect_eq(e.build_id_len, 20);
	cr_expect_eq(e.build_id[0], 0xaa);
	cr_expect_eq(e.build_id[1], 0xbb);
	r = mmap2(0, inode, 0x1000, "/usr/bin/a\0\0\0\0\0");
	cr_assert_eq(rec_mapevent_parse(r.bytes, r.len, &e), 1);
	cr_expect_null(e.build_id);
	cr_expect_eq(e.map.major, 0xfe);
	cr_expect_eq(e.map.minor, 1);
	cr_expect_eq(e.map.inode, 12345);
}

Test(mapevents, what_makes_no_sense_is_no_event)
{
	static const uint8_t id[24] = { 99 };
	struct record r = mmap2(1 << 14, id, 0x1000, "/usr/bin/a\0\0\0\0\0");
	struct rec_mapevent e;

	cr_assert_eq(rec_mapevent_parse(r.bytes, r.len, &e), 1);
	cr_expect_eq(e.build_id_len, 0, "longer than there is room for");
	r = mmap2(0, id, 0, "/usr/bin/a\0\0\0\0\0");
	cr_expect_eq(rec_mapevent_parse(r.bytes, r.len, &e), 0, "empty");
	r = mmap2(0, id, UINT64_MAX, "/usr/bin/a\0\0\0\0\0");
	cr_expect_eq(rec_mapevent_parse(r.bytes, r.len, &e), 0, "wraps");
	r = mmap2(0, id, 0x1000, "0123456789abcdef");
	cr_expect_eq(rec_mapevent_parse(r.bytes, r.len, &e), 0, "path without an end");
	r = begin(PERF_RECORD_SAMPLE, 0);
	end(&r);
	cr_expect_eq(rec_mapevent_parse(r.bytes, r.len, &e), 0);
}

Test(mapevents, only_exec_renames_an_image)
{
	struct rec_mapevent e;
	struct record r = begin(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);

	put32(&r, 10);
	put32(&r, 10);
	put(&r, "true\0\0\0\0", 8);
	end(&r);
	cr_assert_eq(rec_mapevent_parse(r.bytes, r.len, &e), 1);
	cr_expect_eq(e.type, REC_EVENT_EXEC);
	cr_expect_eq(e.comm.len, 4);
	r = begin(PERF_RECORD_COMM, 0);
	put32(&r, 10);
	put32(&r, 10);
	put(&r, "prctl\0\0\0", 8);
	end(&r);
	cr_expect_eq(rec_mapevent_parse(r.bytes, r.len, &e), 0);
}

static struct record task(uint32_t type, uint32_t pid, uint32_t tid)
{
	struct record r = begin(type, 0);

	put32(&r, pid);
	put32(&r, 5);
	put32(&r, tid);
	put32(&r, 6);
	put64(&r, TIME_NS);
	end(&r);
	return r;
}

Test(mapevents, forks_are_of_processes_exits_of_threads)
{
	struct rec_mapevent e;
	struct record r = task(PERF_RECORD_FORK, 10, 10);

	cr_assert_eq(rec_mapevent_parse(r.bytes, r.len, &e), 1);
	cr_expect_eq(e.type, REC_EVENT_FORK);
	cr_expect_eq(e.tgid, 10);
	cr_expect_eq(e.parent_tgid, 5);
	r = task(PERF_RECORD_FORK, 10, 11);
	cr_expect_eq(rec_mapevent_parse(r.bytes, r.len, &e), 0, "a thread has no own mappings");
	r = task(PERF_RECORD_EXIT, 10, 11);
	cr_assert_eq(rec_mapevent_parse(r.bytes, r.len, &e), 1);
	cr_expect_eq(e.type, REC_EVENT_EXIT);
	cr_expect_eq(e.tid, 11);
}

Test(mapevents, every_truncation_is_read_without_harm)
{
	static const uint8_t id[24] = { 20 };
	struct record r = mmap2(1 << 14, id, 0x1000, "/usr/bin/a\0\0\0\0\0");
	struct rec_mapevent e;

	for (size_t len = 0; len < r.len; len++) {
		uint8_t *exact = malloc(len ? len : 1); /* the sanitizer guards its end */

		memcpy(exact, r.bytes, len);
		(void)rec_mapevent_parse(exact, len, &e);
		free(exact);
	}
}
