/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table, the largest site first. Fields are filled up to a width that most values have, so
 * that people can read it, and end with a tab, so that cut(1) can: no name holds one.
 */
#include <stdlib.h>
#include "emit.h"
#include "sites.h"

enum { TARGET_WIDTH = 23, FUNCTION_WIDTH = 31 };

static void begin(FILE *out, const struct rep_view *view)
{
	rep_emit_title(out, view);
	fprintf(out, "%7s\t%15s\t%11s\t%11s\t%11s\t%-7s\t%-*s\t%-*s\t%s\n", "share",
		view->fold_opts->value == REP_VALUE_COUNT  ? "intervals"
		: view->fold_opts->value == REP_VALUE_WAIT ? "wait us"
		: view->fold_opts->value == REP_VALUE_RUNQ ? "runq us"
							   : "total us",
		"count", "mean us", "max us", "state", TARGET_WIDTH, "target", FUNCTION_WIDTH,
		"function", "main waker");
}

/* Code points of well-formed UTF-8. */
static int width_of(const char *text, size_t len)
{
	int width = 0;
	size_t i;

	for (i = 0; i < len; i++)
		width += ((unsigned char)text[i] & 0xc0) != 0x80;
	return width;
}

/* A name, filled up with blanks where memory allows. */
static void put_name(FILE *out, const struct rep_view *view, uint32_t text, int width)
{
	char *copy = NULL;
	size_t len = 0, name_len;
	FILE *f;
	int have;

	rep_pool_get(view->texts, text, &name_len);
	if (name_len == 0) {
		fprintf(out, "%-*s", width, "[unnamed]");
		return;
	}
	rep_emit_name(out, view, REP_ESC_TEXT, text);
	f = width ? open_memstream(&copy, &len) : NULL;
	if (!f)
		return;
	rep_emit_name(f, view, REP_ESC_TEXT, text);
	have = fclose(f) == 0 ? width_of(copy, len) : width;
	if (have < width)
		fprintf(out, "%*s", width - have, "");
	free(copy);
}

static void put_numbers(FILE *out, const struct rep_view *view, const struct rep_sums *sums,
			uint64_t value)
{
	rep_emit_share(out, 7, value, view->fold->all_value);
	fprintf(out, "\t%15llu\t%11llu\t%11llu\t%11llu\t", (unsigned long long)value,
		(unsigned long long)sums->count,
		(unsigned long long)rep_sums_mean_us(sums, view->fold_opts->value),
		(unsigned long long)(sums->max_ns / 1000));
}

static void row(FILE *out, const struct rep_view *view, const struct rep_group *group)
{
	const uint32_t *items;
	size_t len;

	items = rep_pool_get(view->texts, group->line, &len);
	put_numbers(out, view, &group->sums, group->value);
	put_name(out, view, items[REP_SITE_STATE], 7);
	fputc('\t', out);
	put_name(out, view, items[REP_SITE_TARGET], TARGET_WIDTH);
	fputc('\t', out);
	put_name(out, view, items[REP_SITE_FUNCTION], FUNCTION_WIDTH);
	fputc('\t', out);
	put_name(out, view, group->main_waker, 0);
	fputc('\n', out);
}

static void rest(FILE *out, const struct rep_view *view)
{
	put_numbers(out, view, &view->fold->rest, view->fold->rest_value);
	fprintf(out, "%-7s\t%-*s\t%-*s\t%s\n", "-", TARGET_WIDTH, "[rest]", FUNCTION_WIDTH, "-",
		"-");
}

const struct rep_emit rep_emit_summary = {
	.largest_first = true, .begin = begin, .row = row, .rest = rest
};
