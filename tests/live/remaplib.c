/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose functions' names alone depend on LIBRARY. Built twice, the two are alike. */
#include <stdatomic.h>

#include "truth.h"

#define NAME_OF(library, what)	ow_remap_##library##_##what
#define IN(library, what)	NAME_OF(library, what)

void IN(LIBRARY, block)(uint64_t ns);
void IN(LIBRARY, wake)(_Atomic int *word);

OW_NOINLINE void IN(LIBRARY, block)(uint64_t ns)
{
	OW_FRAME();
	ow_sleep_ns(ns);
	OW_KEEP();
}

OW_NOINLINE void IN(LIBRARY, wake)(_Atomic int *word)
{
	OW_FRAME();
	atomic_fetch_add(word, 1);
	ow_futex_wake(word, 1);
	OW_KEEP();
}
