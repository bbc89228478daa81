/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfjob.h - what the child does with an ELF file. Nothing else calls libelf or liblzma.
 */
#ifndef ELW_ELFJOB_H
#define ELW_ELFJOB_H

/* An elw_job; arg is a struct elw_request. Answers as elfnames.c expects. */
int elw_names_job(int fd, int out_fd, const void *arg);

#endif
