/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - what this host allows, asked before anything is touched.
 */
#ifndef REC_PREFLIGHT_H
#define REC_PREFLIGHT_H

#include "err.h"
#include "record_opts.h"

/*
 * 0, or a failure that names the first thing that is missing and its cure: privileges, BTF,
 * a process or thread that does not exist.
 */
int rec_preflight(const struct rec_opts *opts, struct owt_err *err) OWT_MUST_CHECK;

/* The effective capabilities, bits as in /proc/PID/status. err may be null. */
int rec_effective_caps(uint64_t *out, struct owt_err *err) OWT_MUST_CHECK;

/*
 * Which of the capabilities the recorder needs are not in the effective set cap_eff (bits as
 * in /proc/PID/status): their names, separated by blanks, in buf; "" when none is missing.
 */
void rec_missing_caps(uint64_t cap_eff, char *buf, size_t size);

#endif
