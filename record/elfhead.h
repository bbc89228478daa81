/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfhead.h - the two things the recorder wants of a mapped file: its build-id and where its
 * segments lie. It reads the headers and at most 4 KiB of notes, with bounds, and nothing else
 * of a file that another user may own.
 */
#ifndef REC_ELFHEAD_H
#define REC_ELFHEAD_H

#include "types.h"

/*
 * Fills build_id and segments of *module from an ELF file of this machine's byte order; what
 * cannot be read is left empty (a file need not be ELF). Leaves path alone.
 */
void rec_elf_read(int fd, struct owt_module *module);

#endif
