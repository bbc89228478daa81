/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_opts.h - the command line of offwake-report.
 */
#ifndef REP_REPORT_OPTS_H
#define REP_REPORT_OPTS_H

#include "base.h"
#include "fold.h"
#include "select.h"

enum rep_output {
	REP_OUT_TEXT,
	REP_OUT_FOLDED,
	REP_OUT_SUMMARY,
	REP_OUT_JSON,
	REP_OUT_DUMP,
	REP_OUT_INFO
};

struct rep_opts {
	enum rep_output output;
	struct rep_select_opts select;
	struct rep_fold_opts fold;
	bool stats;	  /* more of each row, in text */
	bool keep_slices; /* rows must not be summed over slices */
	bool demangle;
	const char *symfs;
	const char *file; /* "-" is stdin */
};

/* Fills out_opts. Prints help, version or what is wrong, and exits with 0 or 2, by itself. */
void rep_opts_parse(int argc, char **argv, struct rep_opts *out_opts);

#endif
