/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <string.h>
#include "emit.h"
#include "parse.h"

void rep_emit_name(FILE *out, const struct rep_view *view, enum rep_escape mode, uint32_t text)
{
	size_t len;
	const char *name;

	assert(text);
	name = rep_pool_get(view->texts, text, &len);
	rep_escape(out, mode, name, len);
}

void rep_emit_share(FILE *out, int width, uint64_t part, uint64_t whole)
{
	double share = whole ? 100.0 * (double)part / (double)whole : 0;

	if (part && share < 0.05)
		fprintf(out, "%*s", width, "<0.1%");
	else
		fprintf(out, "%*.1f%%", width ? width - 1 : 0, share);
}

void rep_emit_losses(FILE *out, const struct owt_losses *losses)
{
	unsigned c;

	for (c = 0; c < OWT_LOSS_CNT; c++) {
		if (!losses->count[c])
			continue;
		fprintf(out, "note: %llu %s", (unsigned long long)losses->count[c],
			owt_loss_text(c));
		if (losses->time_ns[c])
			fprintf(out, " (%llu us)", (unsigned long long)(losses->time_ns[c] / 1000));
		fputc('\n', out);
	}
}

static void put_unresolved(FILE *out, const struct rep_symbols_stats *stats)
{
	uint64_t missing = stats->frames - stats->resolved;
	const char *separator = ": ";
	unsigned why;

	if (!missing)
		return;
	fprintf(out, "note: %llu of %llu frames unresolved (", (unsigned long long)missing,
		(unsigned long long)stats->frames);
	rep_emit_share(out, 0, missing, stats->frames);
	fputc(')', out);
	for (why = 0; why < REP_UNRES_CNT; why++) {
		if (!stats->unresolved[why])
			continue;
		fprintf(out, "%s%llu %s", separator, (unsigned long long)stats->unresolved[why],
			rep_unresolved_text(why));
		separator = ", ";
	}
	fputc('\n', out);
}

void rep_emit_cut(FILE *out, const struct owt_file_info *info)
{
	if (info->complete)
		return;
	fputs("note: ", out);
	rep_escape(out, REP_ESC_TEXT, info->why_partial,
		   strnlen(info->why_partial, sizeof(info->why_partial)));
	fputc('\n', out);
}

static void put_raw_wakers(FILE *out, const struct rep_trace *t)
{
	const struct owt_string *wakers = rep_trace_meta(t, "wakers");

	if (wakers && !strcmp(wakers->bytes, "raw"))
		fputs("note: where an interrupt woke, the waker is a bystander (--raw-wakers)\n",
		      out);
}

void rep_emit_caveats(FILE *out, const struct rep_view *view)
{
	put_raw_wakers(out, view->trace);
	rep_emit_losses(out, &view->trace->end.losses);
	put_unresolved(out, rep_symbols_stats(view->symbols));
	rep_emit_cut(out, &view->trace->info);
}

static void put_duration(FILE *out, const struct rep_trace *t)
{
	const struct owt_string *asked = rep_trace_meta(t, "duration_asked_s");
	uint64_t start = t->end.start_ns, end_ns = t->end.end_ns, tenths, secs;
	unsigned rest;

	/* What was cut short did not last as long as it should have. */
	if (asked && t->info.complete && owt_parse_u64(asked->bytes, 0, UINT32_MAX, &secs) == 0) {
		fprintf(out, " for %llu secs.", (unsigned long long)secs);
		return;
	}
	tenths = end_ns > start ? (end_ns - start) / 100000000 : 0;
	rest = tenths % 10;
	fprintf(out, " for %llu", (unsigned long long)(tenths / 10));
	if (rest)
		fprintf(out, ".%u", rest);
	fputs(" secs.", out);
}

/* "N.N" seconds: what lies behind is cut. */
static void put_tenths(FILE *out, uint64_t ns)
{
	fprintf(out, "%llu.%llu", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns / 100000000 % 10));
}

void rep_emit_span(FILE *out, const struct rep_view *view)
{
	uint64_t from, to;

	if (view->select_opts->from_ns == 0 && view->select_opts->to_ns == UINT64_MAX)
		return;
	rep_select_span(view->select, &from, &to);
	fputs("note: only the slices from ", out);
	put_tenths(out, from);
	fputs(" to ", out);
	put_tenths(out, to);
	fputs(" s\n", out);
}

void rep_emit_title(FILE *out, const struct rep_view *view)
{
	static const char *const values[] = {
		[REP_VALUE_TOTAL] = "blocked time (us)",
		[REP_VALUE_WAIT] = "time until woken (us)",
		[REP_VALUE_RUNQ] = "time from woken to running (us)",
		[REP_VALUE_COUNT] = "blocked intervals",
	};
	const char *context = view->fold_opts->shown == REP_SHOW_USER	  ? "user"
			      : view->fold_opts->shown == REP_SHOW_KERNEL ? "kernel"
									  : "user + kernel";

	fprintf(out, "Tracing %s by %s off-CPU and waker stack", values[view->fold_opts->value],
		context);
	put_duration(out, view->trace);
	fputc('\n', out);
	rep_emit_span(out, view);
	rep_emit_caveats(out, view);
	fputc('\n', out);
}
