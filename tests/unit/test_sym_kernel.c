/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>
#include "base.h"
#include "sym_kernel.h"

#define SYM(at, kind, text)                                                                        \
	{                                                                                          \
		.addr = (at), .type = (kind), .name = {text, sizeof(text) - 1}, .module = {        \
			"",                                                                        \
			0                                                                          \
		}                                                                                  \
	}

static const struct owt_ksym syms[] = {
	SYM(0x1000, 't', "__pfx_first"), SYM(0x1010, 't', "first"),	SYM(0x2000, 't', "local"),
	SYM(0x2000, 'W', "weak"),	 SYM(0x3000, 'T', "__x64_sys"), SYM(0x3000, 'T', "sys"),
	SYM(0x4000, 'T', "ab"),		 SYM(0x4000, 'T', "abc"),	SYM(0x4000, 'T', "abd"),
	SYM(0x5000, 't', "__pfx_alone"), SYM(0x6000, 't', "last"),
};

static const char *name_at(uint64_t addr)
{
	const struct owt_ksym *sym = rep_ksym_find(syms, OWT_ARRAY_SIZE(syms), addr);

	return sym ? sym->name.bytes : "";
}

Test(sym_kernel, a_symbol_reaches_to_the_next)
{
	cr_expect_str_eq(name_at(0x1010), "first");
	cr_expect_str_eq(name_at(0x1fff), "first");
	cr_expect_str_eq(name_at(0x6000), "last");
}

Test(sym_kernel, below_the_first_there_is_none)
{
	cr_expect_str_eq(name_at(0), "");
	cr_expect_str_eq(name_at(0xfff), "");
	cr_expect_null(rep_ksym_find(syms, 0, 0x2000));
}

Test(sym_kernel, the_last_does_not_reach_for_ever)
{
	cr_expect_str_eq(name_at(0x6000 + 256 * 1024), "last");
	cr_expect_str_eq(name_at(0x6000 + 256 * 1024 + 1), "");
	cr_expect_str_eq(name_at(UINT64_MAX), "");
}

Test(sym_kernel, the_best_of_several_names_is_taken)
{
	cr_expect_str_eq(name_at(0x2000), "weak");
	cr_expect_str_eq(name_at(0x3000), "sys");
	cr_expect_str_eq(name_at(0x4001), "abc");
}

Test(sym_kernel, padding_is_never_a_name)
{
	cr_expect_str_eq(name_at(0x1008), "");
	cr_expect_str_eq(name_at(0x5000), "");
}
