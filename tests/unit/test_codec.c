/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>
#include "codec.h"

/* Text of the fault in a payload of THREADS, or null. One string and no thread is defined. */
static const char *decode(const char *payload, size_t n, bool newer)
{
	static struct owt_err err;
	struct owt_decoder d = {.counts = {.strings = 1}};
	struct owt_record rec;
	int ret;

	err = (struct owt_err){.code = 0};
	ret = owt_decoder_begin(&d, OWT_CHUNK_THREADS, newer, (const uint8_t *)payload, n, &err);
	if (!ret)
		while ((ret = owt_decoder_next(&d, &rec, &err)) > 0)
			;
	owt_decoder_done(&d);
	cr_assert_eq(ret, err.code);
	return ret ? err.text : NULL;
}

#define PAYLOAD(s) s, sizeof(s) - 1

Test(codec, a_payload_is_count_columns_lengths_and_values)
{
	cr_assert_null(decode(PAYLOAD("\x01\x03\x01\x01\x01\x07\x08\x01"), false));
	cr_assert_null(decode(PAYLOAD("\x02\x03\x02\x03\x02\x07\x09\x08\x80\x01\x01\x00"), false));
}

Test(codec, faults_name_record_column_expected_and_found)
{
	cr_assert_str_eq(decode(PAYLOAD("\x01\x03\x01\x01\x01\x07\x08\x02"), false),
			 "thread 0: comm: expected 0 to 1, found 2");
	cr_assert_str_eq(
		decode(PAYLOAD("\x01\x03\x01\x02\x01\x07\x80\x00\x01"), false),
		"thread 0: column 1 (tgid): expected a value, found a number that is not in "
		"its shortest form");
	cr_assert_str_eq(decode(PAYLOAD("\x01\x03\x05\x01\x01\x80\x80\x80\x80\x10\x01\x01"), false),
			 "thread 0: column 0 (tid): expected at most 4294967295, found 4294967296");
	cr_assert_str_eq(decode(PAYLOAD("\x02\x03\x02\x01\x02\x07\x07\x08\x01\x01"), false),
			 "thread 1: column 1 (tgid): expected a value, found no more bytes");
}

Test(codec, no_byte_of_a_column_may_be_left)
{
	cr_assert_str_eq(decode(PAYLOAD("\x01\x03\x01\x02\x01\x07\x08\x08\x01"), false),
			 "column 1 (tgid): expected its end, found 1 more bytes");
}

Test(codec, counts_are_held_against_the_bytes_that_are_there)
{
	cr_assert_str_eq(decode(PAYLOAD("\x00\x03\x00\x00\x00"), false),
			 "record count: expected 1 to 0, found 0");
	cr_assert_str_eq(decode(PAYLOAD("\xff\x7f\x03\x01\x01\x01\x07\x08\x01"), false),
			 "record count: expected 1 to 1, found 16383");
	cr_assert_not_null(decode(PAYLOAD("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x03\x01\x01\x01"
					  "\x07\x08\x01"),
				  false));
	cr_assert_not_null(decode(PAYLOAD("\x01\x03\x01\x01\xff\x7f\x07\x08\x01"), false));
	cr_assert_not_null(decode(PAYLOAD("\x01\x03\x01\x01\x00\x07\x08\x01"), false));
	cr_assert_not_null(decode(PAYLOAD("\x01\x03\x01\x01"), false));
	cr_assert_not_null(decode(PAYLOAD("\x01"), false));
}

Test(codec, columns_of_a_newer_version_are_skipped_and_only_those)
{
	static const char more[] = "\x01\x04\x01\x01\x01\x02\x07\x08\x01zz";

	cr_assert_null(decode(PAYLOAD(more), true));
	cr_assert_str_eq(decode(PAYLOAD(more), false), "column count: expected 3, found 4");
	cr_assert_not_null(decode(PAYLOAD("\x01\x02\x01\x01\x07\x08"), true));
	cr_assert_not_null(decode(PAYLOAD("\x01\x41\x01\x01\x07\x08"), true));
}

Test(codec, every_type_has_names_for_all_it_needs)
{
	for (uint32_t type = OWT_CHUNK_META; type < OWT_CHUNK_TYPE_CNT; type++) {
		const struct owt_chunk_def *def = owt_chunk_def(type);

		if (type == OWT_CHUNK_INDEX || type == OWT_CHUNK_GENERATION) {
			cr_assert_null(def, "reserved types are unknown ones");
			continue;
		}
		cr_assert_not_null(def);
		cr_assert_leq(def->column_cnt, OWT_COLUMNS_USED);
		for (unsigned i = 0; i < OWT_COLUMNS_USED; i++)
			cr_assert_eq(!!def->columns[i], i < def->column_cnt);
	}
	cr_assert_null(owt_chunk_def(0));
	cr_assert_null(owt_chunk_def(OWT_CHUNK_TYPE_CNT));
	cr_assert_null(owt_chunk_def(UINT32_MAX));
	cr_assert_str_eq(owt_chunk_name(UINT32_MAX), "unknown");
}
