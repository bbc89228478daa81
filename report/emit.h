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
#include "reconcile.h"

/* All that an output may draw on. */
struct rep_view {
	const struct rep_trace *trace;
	const struct rep_symbols *symbols;
	const struct rep_pool *texts;
	const struct rep_select *select;
	const struct rep_select_opts *select_opts;
	const struct rep_fold_opts *fold_opts;
	const struct rep_reconcile *reconcile; /* empty without accounts */
	const struct rep_fold *fold; /* empty for outputs of stored rows */
	bool stats;
};

struct rep_emit {
	bool largest_first;
	void (*begin)(FILE *out, const struct rep_view *view);
	void (*row)(FILE *out, const struct rep_view *view, const struct rep_group *group);
	/* What --top left out: next to the smallest row. Null when end tells it. */
	void (*rest)(FILE *out, const struct rep_view *view);
	void (*end)(FILE *out, const struct rep_view *view); /* may be null */
};

extern const struct rep_emit rep_emit_text;
extern const struct rep_emit rep_emit_folded;
extern const struct rep_emit rep_emit_summary;
extern const struct rep_emit rep_emit_json;

/* One line for each record and each row selected, as stored; see emit_dump.c for the fields. */
void rep_emit_dump(FILE *out, const struct rep_view *view);

/* What is in the file, for people. */
void rep_emit_info(FILE *out, const struct rep_view *view);

/*
 * What a reader must know before believing the rows, a line each: losses, unresolved frames,
 * a recording that was cut short. Nothing when there is nothing to say.
 */
void rep_emit_caveats(FILE *out, const struct rep_view *view);

/* What text outputs begin with: the title, the part of the recording chosen, the caveats. */
void rep_emit_title(FILE *out, const struct rep_view *view);

/* A line that says which part of the recording it is, where it is not the whole. */
void rep_emit_span(FILE *out, const struct rep_view *view);

/*
 * The share of part in whole, in percent with one decimal, at least width wide; never 0.0 for
 * something.
 */
void rep_emit_share(FILE *out, int width, uint64_t part, uint64_t whole);

/* A line for each cause that lost something; one when the recording was cut short. */
void rep_emit_losses(FILE *out, const struct owt_losses *losses);
void rep_emit_cut(FILE *out, const struct owt_file_info *info);

/* The part of --info that is about the recorder's own cost; nothing where it noted none. */
void rep_emit_cost(FILE *out, const struct rep_view *view);
/* The part that is about accounts; nothing where there are none. */
void rep_emit_reconcile(FILE *out, const struct rep_view *view);

/* Escaped text of a text id. */
void rep_emit_name(FILE *out, const struct rep_view *view, enum rep_escape mode, uint32_t text);

#endif
