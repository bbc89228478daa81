/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>
#include "irqtext.h"

#if defined(__x86_64__)
static bool find(const char *text, struct ow_range irq[OW_RANGES_MAX],
		 struct ow_range softirq[OW_RANGES_MAX])
{
	struct rec_kallsyms *k = NULL;
	bool found;

	cr_assert_eq(rec_kallsyms_parse(strdup(text), strlen(text), &k), 0);
	found = rec_irqtext_find(k, irq, softirq);
	rec_kallsyms_free(k);
	return found;
}

Test(irqtext, interrupt_entries_leave_exceptions_out)
{
	struct ow_range irq[OW_RANGES_MAX], softirq[OW_RANGES_MAX];

	cr_assert(find("1000 T __irqentry_text_start\n1100 T asm_exc_page_fault\n"
		       "1200 T asm_common_interrupt\n1300 T asm_sysvec_apic_timer_interrupt\n"
		       "1400 T __irqentry_text_end\n2000 t handle_softirqs\n2100 T next\n",
		       irq, softirq));
	cr_expect_eq(irq[0].start, 0x1200);
	cr_expect_eq(irq[0].end, 0x1400);
	cr_expect_eq(softirq[0].start, 0x2000);
	cr_expect_eq(softirq[0].end, 0x2100);
	cr_expect_eq(irq[1].end, 0);
}

Test(irqtext, fred_has_its_own_way_in)
{
	struct ow_range irq[OW_RANGES_MAX], softirq[OW_RANGES_MAX];

	cr_assert(find("1200 T asm_common_interrupt\n1400 T __irqentry_text_end\n"
		       "2000 t handle_softirqs\n3000 T asm_fred_entrypoint_kernel\n"
		       "3100 t fred_extint\n3200 T fred_entry_from_kernel\n"
		       "3300 T common_interrupt\n3400 T exc_page_fault\n",
		       irq, softirq));
	cr_expect_eq(irq[1].start, 0x3100);
	cr_expect_eq(irq[1].end, 0x3200);
	cr_expect_eq(irq[2].start, 0x3300);
	cr_expect_eq(irq[2].end, 0x3400);
	cr_expect_eq(irq[3].end, 0);
}

/* There a stack is cut at its entry, which common_interrupt() is called by. */
Test(irqtext, common_interrupt_is_an_entry_with_fred_only)
{
	struct ow_range irq[OW_RANGES_MAX], softirq[OW_RANGES_MAX];

	cr_assert(find("1200 T asm_common_interrupt\n1400 T __irqentry_text_end\n"
		       "2000 t handle_softirqs\n3300 T common_interrupt\n3400 T next\n",
		       irq, softirq));
	cr_expect_eq(irq[1].end, 0);
}

Test(irqtext, says_when_entries_are_unknown)
{
	struct ow_range irq[OW_RANGES_MAX], softirq[OW_RANGES_MAX];

	cr_expect_not(find("1200 T asm_common_interrupt\n2000 t handle_softirqs\n", irq, softirq));
	cr_expect_not(
		find("1200 T asm_common_interrupt\n1400 T __irqentry_text_end\n", irq, softirq));
}
#endif
