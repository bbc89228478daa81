/* SPDX-License-Identifier: Apache-2.0 */
/*
 * elfjob.h - what the child does with an ELF file, and what becomes of its answer. Nothing else
 * than the job calls libelf or liblzma.
 */
#ifndef ELW_ELFJOB_H
#define ELW_ELFJOB_H

#include "elfnames.h"

/* An elw_job; arg is a struct elw_request. Answers as elfnames.c expects. */
int elw_names_job(int fd, int out_fd, const void *arg);

/* Most bytes an honest answer to the request has. */
size_t elw_answer_limit(const struct elw_request *request);

/* Looks through an answer, and hands out its functions if all of it is whole: see elw_names(). */
int elw_take_answer(const char *bytes, size_t len, const struct elw_request *request,
		    elw_symbol_fn *fn, void *ctx, enum elw_outcome *out_outcome) OWT_MUST_CHECK;

#endif
