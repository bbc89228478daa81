/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "demangle.h"

#define PLAIN_CNT 300

struct bench {
	struct rep_budget budget;
	struct rep_pool *texts;
	uint32_t names[PLAIN_CNT + 8];
	size_t cnt;
};

static void begin(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->budget.limit = 64 << 20;
	b->texts = rep_pool_new(&b->budget);
	cr_assert_not_null(b->texts);
}

static void add(struct bench *b, const char *name)
{
	cr_assert_eq(rep_pool_put(b->texts, name, strlen(name), &b->names[b->cnt++]), 0);
}

static void expect(const struct bench *b, size_t i, const char *readable)
{
	size_t len;
	const char *got = rep_pool_get(b->texts, b->names[i], &len);

	cr_expect_str_eq(got, readable, "%zu: %.100s, expected %.100s", i, got, readable);
}

static void run(struct bench *b)
{
	cr_assert_eq(rep_demangle(b->texts, &b->budget, b->names, b->cnt), 0);
}

Test(demangle, each_scheme_becomes_readable)
{
	static const char *const names[][2] = {
		{ "_ZN3foo3barEiPKc", "foo::bar(int, char const*)" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_RNvC3foo3bar", "foo::bar" },
		{ "_RINvC3foo3barAhj4_E", "foo::bar::<[u8; 4]>" },
		{ "_Z3fooi.cold", "foo(int) [clone .cold]" },
	};
	struct bench b;
	size_t i;

	begin(&b);
	for (i = 0; i < OWT_ARRAY_SIZE(names); i++)
		add(&b, names[i][0]);
	run(&b);
	for (i = 0; i < OWT_ARRAY_SIZE(names); i++)
		expect(&b, i, names[i][1]);
	rep_pool_free(b.texts);
}

Test(demangle, what_only_looks_mangled_stays)
{
	static const char *const names[] = { "_Zqq", "_ZN", "_R", "_RNvC3fo", "_ZN3foo3barE17h" };
	struct bench b;
	size_t i;

	begin(&b);
	for (i = 0; i < OWT_ARRAY_SIZE(names); i++)
		add(&b, names[i]);
	run(&b);
	for (i = 0; i < OWT_ARRAY_SIZE(names); i++)
		expect(&b, i, names[i]);
	rep_pool_free(b.texts);
	cr_expect_not(rep_is_mangled("main", 4));
	cr_expect_not(rep_is_mangled("_Z3f\0oi", 7));
	cr_expect(rep_is_mangled("_Z1fi", 5));
}

/*
 * f(a<int, int>, a<a<int, int>, a<int, int> >, ...): each parameter names the one before it
 * twice, as substitution S0_, S1_, ..., so that the readable name doubles 30 times.
 */
static char *doubling_name(void)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char *name = malloc(4096), *p = name + sprintf(name, "_Z1f1aIiiE");
	unsigned i;

	for (i = 0; i < 30; i++)
		p += sprintf(p, "S_IS%c_S%c_E", digits[i], digits[i]);
	return name;
}

Test(demangle, hostile_names_cost_themselves_only, .timeout = 60)
{
	char *deep = malloc(60004), plain[32], readable[40];
	char *doubling = doubling_name();
	struct bench b;
	size_t i;

	memset(deep, 'P', 60002);
	memcpy(deep, "_Z1f", 4);
	strcpy(deep + 60000, "i");
	begin(&b);
	for (i = 0; i < PLAIN_CNT; i++) {
		if (i == PLAIN_CNT / 2)
			add(&b, deep);
		if (i == PLAIN_CNT / 3)
			add(&b, doubling);
		snprintf(plain, sizeof(plain), "_Z4f%03zui", i);
		add(&b, plain);
	}
	run(&b);
	for (i = 0; i < PLAIN_CNT; i++) {
		snprintf(readable, sizeof(readable), "f%03zu(int)", i);
		expect(&b, i + (i >= PLAIN_CNT / 2) + (i >= PLAIN_CNT / 3), readable);
	}
	expect(&b, PLAIN_CNT / 3, doubling);
	free(deep);
	free(doubling);
	rep_pool_free(b.texts);
}
