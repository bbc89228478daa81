/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_opts.h - the command line of offwake-report.
 */
#ifndef REP_REPORT_OPTS_H
#define REP_REPORT_OPTS_H

#include "base.h"
#include "fold.h"

enum rep_output { REP_OUT_TEXT, REP_OUT_FOLDED, REP_OUT_DUMP, REP_OUT_INFO };

struct rep_opts {
	enum rep_output output;
	bool delimited;
	uint32_t shown; /* REP_SHOW_... of fold.h */
	enum rep_value value;
	uint32_t kinds; /* set bits of enum owt_kind */
	const char *symfs;
	const char *file; /* "-" is stdin */
};

/* Fills out_opts. Prints help, version or what is wrong, and exits with 0 or 2, by itself. */
void rep_opts_parse(int argc, char **argv, struct rep_opts *out_opts);

#endif
