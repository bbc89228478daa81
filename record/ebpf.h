/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ebpf.h - the source of the BPF programs that were built in.
 */
#ifndef REC_EBPF_H
#define REC_EBPF_H

/* One C file; compiling it gives the programs. Never null. */
const char *rec_ebpf_source(void);

#endif
