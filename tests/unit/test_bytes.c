/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "bytes.h"

static int take(const char *bytes, size_t n, uint64_t *out)
{
	const uint8_t *p = (const uint8_t *)bytes;
	struct owt_cursor c = {p, p + n};
	int ret = owt_take_leb(&c, out);

	if (ret)
		cr_assert_eq(c.pos, p, "a refused number must not be consumed");
	return ret;
}

Test(bytes, leb_round_trips_at_every_length)
{
	for (unsigned shift = 0; shift < 64; shift++)
		for (int step = -1; step <= 1; step++) {
			uint64_t v = (1ull << shift) + (uint64_t)(int64_t)step, back = 1;
			uint8_t b[OWT_LEB_MAX];
			size_t n = owt_leb_store(b, v);
			struct owt_cursor c = {b, b + n};

			cr_assert(!owt_take_leb(&c, &back));
			cr_assert_eq(back, v);
			cr_assert_eq(owt_cursor_left(&c), 0);
		}
}

Test(bytes, leb_takes_the_largest_number)
{
	uint64_t v = 0;

	cr_assert(!take("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, &v));
	cr_assert_eq(v, UINT64_MAX);
}

Test(bytes, leb_refuses_numbers_that_end_early)
{
	uint64_t v = 7;

	cr_assert_eq(take("", 0, &v), -ENODATA);
	cr_assert_eq(take("\x80", 1, &v), -ENODATA);
	cr_assert_eq(take("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, &v), -ENODATA);
	cr_assert_eq(v, 7, "out must stay untouched");
}

Test(bytes, leb_refuses_longer_forms_than_needed)
{
	uint64_t v = 7;

	cr_assert_eq(take("\x80\x00", 2, &v), -EILSEQ);
	cr_assert_eq(take("\xff\x00", 2, &v), -EILSEQ);
	cr_assert_eq(take("\x81\x80\x00", 3, &v), -EILSEQ);
	cr_assert_eq(take("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00", 10, &v), -EILSEQ);
	cr_assert(!take("\x00", 1, &v));
	cr_assert_eq(v, 0);
}

Test(bytes, leb_refuses_more_than_64_bits)
{
	uint64_t v = 7;

	cr_assert_eq(take("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, &v), -EOVERFLOW);
	cr_assert_eq(take("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x81\x00", 11, &v), -EOVERFLOW);
	cr_assert_eq(v, 7);
}

Test(bytes, words_are_little_endian)
{
	uint8_t b[8];

	owt_store_u64(b, 0x0807060504030201u);
	for (unsigned i = 0; i < 8; i++)
		cr_assert_eq(b[i], i + 1);
	cr_assert_eq(owt_load_u64(b), 0x0807060504030201u);
	cr_assert_eq(owt_load_u32(b), 0x04030201u);
	cr_assert_eq(owt_load_u16(b), 0x0201u);
}

Test(bytes, zigzag_makes_small_differences_small)
{
	cr_assert_eq(owt_zigzag(0), 0);
	cr_assert_eq(owt_zigzag((uint64_t)-1), 1);
	cr_assert_eq(owt_zigzag(1), 2);
	cr_assert_eq(owt_zigzag((uint64_t)INT64_MIN), UINT64_MAX);
	for (unsigned i = 0; i < 64; i++) {
		cr_assert_eq(owt_unzigzag(owt_zigzag(1ull << i)), 1ull << i);
		cr_assert_eq(owt_unzigzag(owt_zigzag(0 - (1ull << i))), 0 - (1ull << i));
	}
}

Test(bytes, cursor_gives_no_byte_beyond_its_end)
{
	uint8_t b[9] = {1};
	struct owt_cursor c = {b, b + 9};
	const uint8_t *p = NULL;
	uint64_t v;

	cr_assert_eq(owt_take_bytes(&c, 10, &p), -ENODATA);
	cr_assert_eq(owt_take_bytes(&c, SIZE_MAX, &p), -ENODATA);
	cr_assert_null(p);
	cr_assert(!owt_take_fixed64(&c, &v));
	cr_assert_eq(v, 1);
	cr_assert_eq(owt_take_fixed64(&c, &v), -ENODATA);
	cr_assert(!owt_take_bytes(&c, 1, &p));
	cr_assert_eq(p, b + 8);
}

Test(bytes, buffer_keeps_what_is_added_and_its_ceiling)
{
	struct owt_buf b = {.max = 1000};

	for (unsigned i = 0; i < 100; i++)
		cr_assert(!owt_buf_add(&b, "0123456789", 10));
	cr_assert_eq(b.len, 1000);
	cr_assert_eq(owt_buf_add(&b, "x", 1), -EFBIG);
	cr_assert_eq(owt_buf_reserve(&b, SIZE_MAX), -EFBIG);
	cr_assert_eq(b.len, 1000);
	cr_assert_leq(b.cap, 1000);
	cr_assert(!memcmp(b.bytes + 990, "0123456789", 10));
	owt_buf_done(&b);
	owt_buf_done(&b);
}
