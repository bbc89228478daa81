/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>
#include "types.h"

static void check_names(const char *(*name)(unsigned v), unsigned cnt)
{
	for (unsigned i = 0; i < cnt; i++) {
		cr_assert_str_neq(name(i), "unknown");
		for (unsigned k = 0; k < i; k++)
			cr_assert_str_neq(name(i), name(k));
	}
	cr_assert_str_eq(name(cnt), "unknown");
	cr_assert_str_eq(name(UINT32_MAX), "unknown");
}

Test(types, every_value_has_a_name_of_its_own)
{
	check_names(owt_kind_name, OWT_KIND_CNT);
	check_names(owt_context_name, OWT_CTX_CNT);
	check_names(owt_stack_status_name, OWT_STACK_STATUS_CNT);
	check_names(owt_loss_name, OWT_LOSS_CNT);
}

Test(types, only_stacks_and_maps_can_be_lost_without_a_partial_result)
{
	for (unsigned i = 0; i < OWT_LOSS_CNT; i++) {
		bool harmless = !strncmp(owt_loss_name(i), "stack-", 6) || i == OWT_LOSS_PROC_MAPS ||
				i == OWT_LOSS_MAP_EVENTS;

		cr_assert_neq(owt_loss_is_partial(i), harmless, "%s", owt_loss_name(i));
		cr_assert_gt(strlen(owt_loss_text(i)), 5);
	}
	cr_assert(owt_loss_is_partial(OWT_LOSS_CNT), "a loss nobody knows is taken seriously");
}
