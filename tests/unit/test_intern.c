/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include "intern.h"

/* SipHash-1-3 of the bytes 0, 1, 2, ... under the key 00 01 ... 0f, as other programs give it. */
Test(intern, siphash_gives_the_known_answers)
{
	const struct owt_siphash_key key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
	uint8_t bytes[16];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)i;
	cr_assert_eq(owt_siphash(&key, bytes, 0), 0xabac0158050fc4dcu);
	cr_assert_eq(owt_siphash(&key, bytes, 1), 0xc9f49bf37d57ca93u);
	cr_assert_eq(owt_siphash(&key, bytes, 8), 0x369095118d299a8eu);
	cr_assert_eq(owt_siphash(&key, bytes, 15), 0xd320d86d2a519956u);
}

Test(intern, pairs_get_dense_ids_in_order_of_first_use)
{
	struct owt_pairs t;

	cr_assert(!owt_pairs_init(&t));
	for (uint64_t i = 0; i < 10000; i++) {
		cr_assert_eq(owt_pairs_find(&t, i * i, i & 3), 0);
		cr_assert(!owt_pairs_add(&t, i * i, i & 3));
	}
	for (uint64_t i = 0; i < 10000; i++) {
		cr_assert_eq(owt_pairs_find(&t, i * i, i & 3), i + 1);
		cr_assert_eq(owt_pairs_find(&t, i * i, 4), 0);
	}
	owt_pairs_done(&t);
	owt_pairs_done(&t);
}

Test(intern, strings_are_told_apart_by_every_byte_and_their_length)
{
	struct owt_strings t;
	char text[32];

	cr_assert(!owt_strings_init(&t));
	cr_assert_eq(owt_strings_find(&t, "a", 1), 0);
	cr_assert(!owt_strings_add(&t, "a\0b", 3));
	cr_assert_eq(owt_strings_find(&t, "a\0c", 3), 0);
	cr_assert_eq(owt_strings_find(&t, "a", 1), 0);
	for (unsigned i = 0; i < 5000; i++)
		cr_assert(!owt_strings_add(&t, text, (size_t)sprintf(text, "name %u", i)));
	cr_assert_eq(owt_strings_find(&t, "a\0b", 3), 1);
	for (unsigned i = 0; i < 5000; i++)
		cr_assert_eq(owt_strings_find(&t, text, (size_t)sprintf(text, "name %u", i)),
			     i + 2);
	owt_strings_done(&t);
	owt_strings_done(&t);
}

Test(intern, keys_differ_from_table_to_table)
{
	struct owt_pairs a, b;

	cr_assert(!owt_pairs_init(&a));
	cr_assert(!owt_pairs_init(&b));
	cr_assert(a.key.k0 != b.key.k0 || a.key.k1 != b.key.k1);
	owt_pairs_done(&a);
	owt_pairs_done(&b);
}
