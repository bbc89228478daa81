/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kerneltypes.h - questions to the running kernel's BTF: what it offers is asked there.
 */
#ifndef REC_KERNELTYPES_H
#define REC_KERNELTYPES_H

#include "base.h"

struct btf;

bool rec_has_enumerator(const struct btf *btf, const char *type, const char *name);

/* Whether a program may read the memory of a thread that is not current: since 5.18. */
bool rec_lends_memory(const struct btf *btf);

#endif
