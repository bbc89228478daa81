/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostinfo.h - what a reader should know of the host and of how it was recorded.
 */
#ifndef REC_HOSTINFO_H
#define REC_HOSTINFO_H

#include "err.h"
#include "record_opts.h"
#include "writer.h"

/* The ELF e_machine of this host, 0 when it is not one we know. */
uint16_t rec_host_arch(void);

/* Host name, kernel, machine, CPUs, clocks, and the options that shape the data. */
int rec_hostinfo_write(struct owt_writer *w, const struct rec_opts *opts,
		       struct owt_err *err) OWT_MUST_CHECK;

int rec_meta_u64(struct owt_writer *w, const char *key, uint64_t value,
		 struct owt_err *err) OWT_MUST_CHECK;

#endif
