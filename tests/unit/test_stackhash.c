/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever knows the secrets can make stacks of one name at will: every step of the hash can be
 * run backwards. These are such stacks; without the secrets they must be as good as any others.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/random.h>
#include "base.h"
#include "stackhash.h"

#define PAIRS	4000
#define SECRETS 8
#define FRAMES	3

struct secret {
	uint64_t seed, salt;
};

static uint64_t draw(void)
{
	uint64_t v;

	cr_assert_eq(getrandom(&v, sizeof(v), 0), (ssize_t)sizeof(v));
	return v;
}

static uint64_t hash(struct secret s, const uint64_t *words, uint32_t cnt)
{
	return ow_hash_words((const __u64 *)words, cnt, s.seed, s.salt);
}

/* Of an odd number, modulo 2^64. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;

	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* The word whose effect is this one: ow_hash_mix() backwards. */
static uint64_t word_of(uint64_t effect, uint64_t salt)
{
	uint64_t w = effect;

	w ^= w >> 29 ^ w >> 58;
	w *= inverse(OW_HASH_WORD);
	w ^= w >> 32;
	return w - salt;
}

/* The effect of a word, forwards. */
static uint64_t effect_of(uint64_t word, uint64_t salt)
{
	uint64_t w = word + salt;

	w ^= w >> 32;
	w *= OW_HASH_WORD;
	return w ^ w >> 29;
}

/* State after all words but the last; only the last step's input is left open. */
static uint64_t state_before_last(struct secret s, const uint64_t *words)
{
	uint64_t state = s.seed ^ FRAMES;

	for (int i = 0; i < FRAMES - 1; i++)
		state = ow_hash_mix(state, words[i], s.salt);
	return state;
}

/* Two stacks of one name under the secret. */
static void craft(struct secret s, uint64_t a[FRAMES], uint64_t b[FRAMES])
{
	for (int i = 0; i < FRAMES; i++) {
		a[i] = draw();
		b[i] = draw();
	}
	b[FRAMES - 1] = word_of(effect_of(a[FRAMES - 1], s.salt) ^ state_before_last(s, a) ^
					state_before_last(s, b),
				s.salt);
}

/*
 * Two stacks of one name under every seed, if the salt is this one: the effects of their first
 * words differ in the highest bit alone, which a multiplication leaves where it is.
 */
static void craft_for_any_seed(uint64_t salt, uint64_t a[2], uint64_t b[2])
{
	const uint64_t high = UINT64_C(1) << 63;

	a[0] = draw();
	b[0] = word_of(effect_of(a[0], salt) ^ high, salt);
	a[1] = draw();
	b[1] = word_of(effect_of(a[1], salt) ^ high ^ high >> 32, salt);
}

Test(stackhash, a_step_runs_backwards)
{
	for (int i = 0; i < 1000; i++) {
		uint64_t word = draw(), salt = draw();

		cr_assert_eq(word_of(effect_of(word, salt), salt), word);
	}
}

Test(stackhash, crafted_stacks_collide_under_the_secret_they_were_made_for_alone)
{
	struct secret known = { 0, 0 };
	uint64_t a[FRAMES], b[FRAMES];

	for (int i = 0; i < PAIRS; i++) {
		craft(known, a, b);
		cr_assert_eq(hash(known, a, FRAMES), hash(known, b, FRAMES));
		for (int k = 0; k < SECRETS; k++) {
			struct secret s = { draw(), draw() };

			cr_assert_neq(hash(s, a, FRAMES), hash(s, b, FRAMES));
		}
	}
}

Test(stackhash, a_seed_without_a_salt_would_not_do)
{
	uint64_t a[2], b[2];

	for (int i = 0; i < PAIRS; i++) {
		craft_for_any_seed(0, a, b);
		for (int k = 0; k < SECRETS; k++) {
			struct secret seed_alone = { draw(), 0 }, both = { draw(), draw() };

			cr_assert_eq(hash(seed_alone, a, 2), hash(seed_alone, b, 2));
			cr_assert_neq(hash(both, a, 2), hash(both, b, 2));
		}
	}
}

Test(stackhash, a_stack_and_its_beginning_differ)
{
	struct secret s = { draw(), draw() };
	uint64_t words[FRAMES] = { draw(), 0, 0 };

	cr_expect_neq(hash(s, words, 1), hash(s, words, 2));
	cr_expect_neq(hash(s, words, 2), hash(s, words, 3));
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Return addresses are close together: 2^17 paths through two functions, as the live test has. */
Test(stackhash, neighbours_do_not_collide)
{
	enum { DEPTH = 17, CNT = 1 << DEPTH };
	uint64_t *names = malloc(CNT * sizeof(*names)), words[DEPTH];
	struct secret s = { draw(), draw() };

	cr_assert_not_null(names);
	for (uint32_t path = 0; path < CNT; path++) {
		for (uint32_t i = 0; i < DEPTH; i++)
			words[i] = UINT64_C(0x555555554000) + (path >> i & 1);
		names[path] = hash(s, words, DEPTH);
	}
	qsort(names, CNT, sizeof(*names), by_value);
	for (uint32_t i = 1; i < CNT; i++)
		cr_assert_neq(names[i - 1], names[i]);
	free(names);
}
