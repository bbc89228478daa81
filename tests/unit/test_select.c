/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include "opt_values.h"
#include "select.h"

#define TEXT(text)                                                                                 \
	{                                                                                          \
		text, sizeof(text) - 1                                                             \
	}

static const struct owt_string strings[] = { TEXT(""), TEXT("db"), TEXT("a,b\x1b"),
					     TEXT("C:\\x41") };
static const struct owt_thread threads[] = {
	{ 0 }, { 100, 100, 1 }, { 101, 100, 2 }, { 200, 200, 3 }, { 4294967295u, 7, 0 }
};
/* The first one holds symbols only, from before the recording began at 10 s. */
static const struct rep_slice slices[] = { { .slice = { 9000000000, 9000000000 } },
					   { .slice = { 9000000000, 11000000000 } },
					   { .slice = { 11000000000, 12000000000 } },
					   { .slice = { 12000000000, 13000000000 } } };

static struct rep_trace trace_of(void)
{
	return (struct rep_trace){ .strings = strings,
				   .string_cnt = OWT_ARRAY_SIZE(strings),
				   .threads = threads,
				   .thread_cnt = OWT_ARRAY_SIZE(threads),
				   .slices = slices,
				   .slice_cnt = OWT_ARRAY_SIZE(slices),
				   .end = { .start_ns = 10000000000 } };
}

/* Which of the threads 1 to 4 are taken, as set bits. */
static unsigned taken(struct rep_select_opts opts)
{
	struct rep_budget budget = { .limit = 1 << 20 };
	struct rep_trace trace = trace_of();
	struct rep_row row = { .slice = 1 };
	struct rep_select *select;
	unsigned bits = 0;

	opts.kinds = 1;
	opts.to_ns = UINT64_MAX;
	cr_assert_eq(rep_select_new(&trace, &opts, &budget, &select), 0);
	for (row.row.target = 1; row.row.target < trace.thread_cnt; row.row.target++)
		if (rep_select_row(select, &row))
			bits |= 1u << row.row.target;
	rep_select_free(select);
	cr_assert_eq(budget.used, 0);
	return bits;
}

Test(select, lists_take_what_they_name_and_all_of_them_must)
{
	cr_expect_eq(taken((struct rep_select_opts){ 0 }), 0x1e);
	cr_expect_eq(taken((struct rep_select_opts){ .tgids = "100" }), 0x6);
	cr_expect_eq(taken((struct rep_select_opts){ .tgids = "1,7,200" }), 0x18);
	cr_expect_eq(taken((struct rep_select_opts){ .tids = "100,4294967295" }), 0x12);
	cr_expect_eq(taken((struct rep_select_opts){ .tgids = "100", .tids = "101,200" }), 0x4);
	cr_expect_eq(taken((struct rep_select_opts){ .tgids = "10" }), 0);
}

Test(select, names_are_taken_as_outputs_show_them)
{
	cr_expect_eq(taken((struct rep_select_opts){ .comms = "db" }), 0x2);
	cr_expect_eq(taken((struct rep_select_opts){ .comms = "d" }), 0);
	cr_expect_eq(taken((struct rep_select_opts){ .comms = "x,a\\x2cb\\x1b" }), 0x4);
	cr_expect_eq(taken((struct rep_select_opts){ .comms = "C:\\\\x41" }), 0x8);
	cr_expect_eq(taken((struct rep_select_opts){ .comms = "C:\\x41" }), 0x8);
	cr_expect_eq(taken((struct rep_select_opts){ .comms = "" }), 0x10);
}

Test(select, only_clean_lists_of_ids_pass)
{
	static const char *const bad[] = { "",	",",  "1,", ",1",	 "1,,2",
					   "a", "-1", "1 ", "4294967296" };
	size_t i;

	cr_expect(rep_is_id_list("0"));
	cr_expect(rep_is_id_list("1,22,4294967295"));
	for (i = 0; i < OWT_ARRAY_SIZE(bad); i++)
		cr_expect_not(rep_is_id_list(bad[i]), "%s", bad[i]);
}

/* Which slices are taken, as set bits. */
static unsigned slices_taken(uint64_t from_ns, uint64_t to_ns, uint64_t *from, uint64_t *to)
{
	const struct rep_select_opts opts = { .kinds = 1, .from_ns = from_ns, .to_ns = to_ns };
	struct rep_budget budget = { .limit = 1 << 20 };
	struct rep_row row = { .row = { .target = 1 } };
	struct rep_trace trace = trace_of();
	struct rep_select *select;
	unsigned bits = 0;

	cr_assert_eq(rep_select_new(&trace, &opts, &budget, &select), 0);
	for (row.slice = 0; row.slice < trace.slice_cnt; row.slice++)
		if (rep_select_row(select, &row))
			bits |= 1u << row.slice;
	rep_select_span(select, from, to);
	rep_select_free(select);
	return bits;
}

Test(select, slices_count_whole)
{
	uint64_t from, to;

	cr_expect_eq(slices_taken(0, UINT64_MAX, &from, &to), 0xf);
	cr_expect_eq(slices_taken(1000000000, 2000000000, &from, &to), 0x4);
	cr_expect_eq(from, 1000000000);
	cr_expect_eq(to, 2000000000);
	cr_expect_eq(slices_taken(999999999, 2000000001, &from, &to), 0xe);
	cr_expect_eq(from, 0);
	cr_expect_eq(to, 3000000000);
	cr_expect_eq(slices_taken(3000000000, UINT64_MAX, &from, &to), 0);
	cr_expect_eq(from, 0);
	cr_expect_eq(to, 0);
}

Test(select, states_have_the_letters_of_ps)
{
	static const struct {
		uint32_t state;
		char letter;
	} known[] = { { 0, 'R' },     { 1, 'S' },    { 2, 'D' },     { 0x102, 'D' }, { 0x402, 'I' },
		      { 4, 'T' },     { 8, 't' },    { 0x10, 'X' },  { 0x20, 'Z' },  { 0x40, 'P' },
		      { 0x101, 'S' }, { 0x80, '?' }, { 0x1000, '?' } };
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(known); i++)
		cr_expect_eq(rep_state_letter(known[i].state), known[i].letter, "%#x",
			     known[i].state);
}

Test(select, states_match_by_letter_or_by_bits)
{
	struct rep_states states = { 0 };

	cr_expect(rep_states_match(&states, 2));
	cr_assert_eq(rep_states_parse("D", &states), 0);
	cr_expect(rep_states_match(&states, 2));
	cr_expect_not(rep_states_match(&states, 0x402));
	cr_assert_eq(rep_states_parse("S,I", &states), 0);
	cr_expect(rep_states_match(&states, 1));
	cr_expect(rep_states_match(&states, 0x402));
	cr_expect_not(rep_states_match(&states, 0x80));
	cr_assert_eq(rep_states_parse("0x3", &states), 0);
	cr_expect(rep_states_match(&states, 0x402));
	cr_expect_not(rep_states_match(&states, 0));
	cr_assert_eq(rep_states_parse("0", &states), 0);
	cr_expect(rep_states_match(&states, 0));
	cr_expect_not(rep_states_match(&states, 1));
}

Test(select, other_words_are_no_states)
{
	static const char *const bad[] = { "", ",", "Q", "S;D", "1S", "0x", "4294967296", "s" };
	struct rep_states states = { .mask = 77 };
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(bad); i++)
		cr_expect_eq(rep_states_parse(bad[i], &states), -EINVAL, "%s", bad[i]);
	cr_expect_eq(states.mask, 77);
}

Test(select, seconds_have_up_to_nine_decimals)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "0", 0 },	     { "2", 2000000000 },  { "2.5", 2500000000 },
		{ ".5", 500000000 }, { "0.000000001", 1 }, { "18446744073.709551615", UINT64_MAX }
	};
	static const char *const bad[] = { "",	    ".",  "1.",		  "-1",		 "1e3",
					   "1.2.3", " 1", "1.0000000001", "18446744074", "a.5" };
	uint64_t ns = 5;
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(good); i++) {
		cr_expect_eq(rep_parse_seconds(good[i].text, &ns), 0, "%s", good[i].text);
		cr_expect_eq(ns, good[i].ns, "%s", good[i].text);
	}
	ns = 5;
	for (i = 0; i < OWT_ARRAY_SIZE(bad); i++)
		cr_expect_lt(rep_parse_seconds(bad[i], &ns), 0, "%s", bad[i]);
	cr_expect_eq(ns, 5);
}
