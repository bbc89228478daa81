/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elf_job.h - what the worker does with an ELF file. Nothing else in the program calls libelf.
 */
#ifndef REP_ELF_JOB_H
#define REP_ELF_JOB_H

/* Longer names are cut. */
#define REP_ELF_NAME_MAX 65536u

/* A rep_job; arg is a struct rep_elf_request. Answers as sym_elf.c expects. */
int rep_elf_job(int fd, int out_fd, const void *arg);

#endif
