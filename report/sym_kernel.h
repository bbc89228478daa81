/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sym_kernel.h - names of kernel addresses, from the symbols the recording carries.
 */
#ifndef REP_SYM_KERNEL_H
#define REP_SYM_KERNEL_H

#include "types.h"

/*
 * The symbol that covers addr, or null: none does. syms ascend by address and have no sizes: each
 * reaches to the next address, but never further than 256 KiB, so that what lies behind the
 * last symbol of a module is not named after it. Of several at one address a global one
 * wins, then fewer leading underscores, then the longer name. __pfx_ symbols, which stand
 * for the padding before a function, only end the one before them.
 */
const struct owt_ksym *rep_ksym_find(const struct owt_ksym *syms, size_t cnt, uint64_t addr);

#endif
