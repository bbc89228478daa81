/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "irqtext.h"

/*
 * From the start of first to the start of last, or the whole of first when last is null; only
 * in kernels that have the symbol with, when that is given.
 */
struct text_range {
	const char *first, *last, *with;
};

/*
 * x86: the interrupt entries proper; asm_exc_page_fault and other exceptions lie between
 * __irqentry_text_start and asm_common_interrupt (arch/x86/include/asm/idtentry.h). With FRED
 * interrupts and exceptions share their entries; fred_extint() is for interrupts alone, but
 * jumps to common_interrupt() for those of devices (arch/x86/entry/entry_fred.c, since 6.9).
 * arm64: arch/arm64/kernel/entry.S and entry-common.c.
 */
static const struct text_range irq_text[] = {
#if defined(__x86_64__) || defined(__i386__)
	{ "asm_common_interrupt", "__irqentry_text_end", NULL },
	{ "fred_extint", NULL, NULL },
	{ "common_interrupt", NULL, "fred_extint" },
#elif defined(__aarch64__)
	{ "el1h_64_irq", NULL, NULL },
	{ "el0t_64_irq", NULL, NULL },
	{ "el0t_32_irq", NULL, NULL },
	{ "gic_handle_irq", NULL, NULL },
#endif
	{ NULL, NULL, NULL }
};

/* kernel/softirq.c: handle_softirqs() since 6.10 and its backports, before that __do_softirq(). */
static const struct text_range softirq_text[] = { { "handle_softirqs", NULL, NULL },
						  { "__do_softirq", NULL, NULL },
						  { NULL, NULL, NULL } };

static size_t find(const struct rec_kallsyms *k, const struct text_range *text,
		   struct ow_range out[OW_RANGES_MAX])
{
	uint64_t start, end, last_end, unused;
	size_t n = 0;

	memset(out, 0, OW_RANGES_MAX * sizeof(*out));
	for (; text->first && n < OW_RANGES_MAX; text++) {
		if ((text->with && !rec_kallsyms_find(k, text->with, &unused, &unused)) ||
		    !rec_kallsyms_find(k, text->first, &start, &end) ||
		    (text->last && !rec_kallsyms_find(k, text->last, &end, &last_end)))
			continue;
		out[n++] = (struct ow_range){ start, end };
	}
	return n;
}

bool rec_irqtext_find(const struct rec_kallsyms *k, struct ow_range out_irq[OW_RANGES_MAX],
		      struct ow_range out_softirq[OW_RANGES_MAX])
{
	size_t irqs = find(k, irq_text, out_irq), softirqs = find(k, softirq_text, out_softirq);

	return irqs && softirqs;
}
