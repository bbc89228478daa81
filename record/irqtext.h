/* SPDX-License-Identifier: Apache-2.0 */
/*
 * irqtext.h - kernel text that tells an interrupt's stack from a task's.
 */
#ifndef REC_IRQTEXT_H
#define REC_IRQTEXT_H

#include "kallsyms.h"
#include "wire.h"

/*
 * Fills the ranges of interrupt entries and of softirq handlers for this machine's
 * architecture; unused places stay empty (0, 0). False when an architecture's entries are not
 * known or not in kallsyms: then wakes from interrupts cannot be told from tasks'.
 */
bool rec_irqtext_find(const struct rec_kallsyms *k, struct ow_range out_irq[OW_RANGES_MAX],
		      struct ow_range out_softirq[OW_RANGES_MAX]);

#endif
