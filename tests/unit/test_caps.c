/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include "caps.h"
#include "preflight.h"

#define BIT(n) (1ull << (n))
#define ALWAYS                                                                                     \
	(BIT(CAP_PERFMON) | BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) |                       \
	 BIT(CAP_CHECKPOINT_RESTORE))

Test(caps, of_all_the_needed_are_kept)
{
	cr_expect_eq(rec_caps_kept(UINT64_MAX, false), ALWAYS);
	cr_expect_eq(rec_caps_kept(UINT64_MAX, true), ALWAYS | BIT(CAP_BPF));
}

Test(caps, what_was_not_held_is_not_kept)
{
	cr_expect_eq(rec_caps_kept(0, true), 0);
	cr_expect_eq(rec_caps_kept(BIT(CAP_PERFMON) | BIT(CAP_SYSLOG), true), BIT(CAP_PERFMON));
}

Test(caps, a_wider_one_is_kept_only_for_want_of_a_narrower)
{
	uint64_t wide = BIT(CAP_SYS_ADMIN) | BIT(CAP_DAC_OVERRIDE);

	cr_expect_eq(rec_caps_kept(wide | ALWAYS, false), ALWAYS);
	cr_expect_eq(rec_caps_kept(wide, false), wide);
	cr_expect_eq(rec_caps_kept(wide | ALWAYS, true), BIT(CAP_SYS_ADMIN) | ALWAYS);
}
