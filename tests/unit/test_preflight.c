/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <linux/capability.h>
#include "preflight.h"

#define BIT(n) (1ull << (n))

static void expect_missing(uint64_t caps, const char *names)
{
	char buf[128];

	rec_missing_caps(caps, buf, sizeof(buf));
	cr_expect_str_eq(buf, names);
}

Test(preflight, names_each_missing_capability)
{
	expect_missing(0, "CAP_BPF CAP_PERFMON CAP_SYS_PTRACE");
	expect_missing(BIT(CAP_BPF) | BIT(CAP_PERFMON) | BIT(CAP_SYS_PTRACE), "");
	expect_missing(BIT(CAP_BPF) | BIT(CAP_SYS_PTRACE), "CAP_PERFMON");
}

Test(preflight, admin_stands_for_bpf_and_perfmon)
{
	expect_missing(BIT(CAP_SYS_ADMIN) | BIT(CAP_SYS_PTRACE), "");
	expect_missing(BIT(CAP_SYS_ADMIN), "CAP_SYS_PTRACE");
}
