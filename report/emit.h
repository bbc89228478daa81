/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit.h - the outputs of groups. An emitter writes to out only and leaves errors in the
 * stream, which the main file checks once.
 */
#ifndef REP_EMIT_H
#define REP_EMIT_H

#include <stdio.h>
#include "escape.h"
#include "fold.h"

/* All that an output may draw on. */
struct rep_view {
	const struct rep_trace *trace;
	const struct rep_symbols *symbols;
	const struct rep_pool *texts;
	const struct rep_fold *fold; /* null for outputs of stored rows */
	uint32_t shown;		     /* REP_SHOW_... */
	bool delimited;
	enum rep_value value;
};

struct rep_emit {
	bool by_line; /* wants groups merged by folded line */
	void (*begin)(FILE *out, const struct rep_view *view);
	void (*row)(FILE *out, const struct rep_view *view, const struct rep_group *group);
	void (*end)(FILE *out, const struct rep_view *view);
};

extern const struct rep_emit rep_emit_text;
extern const struct rep_emit rep_emit_folded;

/* One line for each record and each row as stored; see emit_dump.c for the fields. */
void rep_emit_dump(FILE *out, const struct rep_view *view);

/* What is in the file, for people. */
void rep_emit_info(FILE *out, const struct rep_view *view);

/*
 * What a reader must know before believing the rows, a line each: losses, unresolved frames,
 * a recording that was cut short. Nothing when there is nothing to say.
 */
void rep_emit_caveats(FILE *out, const struct rep_view *view);

/* Escaped text of a text id. */
void rep_emit_name(FILE *out, const struct rep_view *view, enum rep_escape mode, uint32_t text);

#endif
