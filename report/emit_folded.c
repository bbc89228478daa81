/* SPDX-License-Identifier: Apache-2.0 */
#include "emit.h"

/* Only rows go to stdout: what they feed knows no comments. */
static void begin(FILE *out, const struct rep_view *view)
{
	(void)out;
	rep_emit_span(stderr, view);
	rep_emit_caveats(stderr, view);
}

static void put_item(FILE *out, const struct rep_view *view, uint32_t item, bool last)
{
	size_t len;

	if (item == REP_ITEM_DASH) {
		fputc('-', out);
		return;
	}
	if (item == REP_ITEM_DASH_DASH) {
		fputs("--", out);
		return;
	}
	rep_pool_get(view->texts, item, &len);
	if (len == 0)
		fputs("[unnamed]", out);
	rep_emit_name(out, view, last ? REP_ESC_LAST : REP_ESC_FRAME, item);
}

static void row(FILE *out, const struct rep_view *view, const struct rep_group *group)
{
	const uint32_t *items;
	size_t cnt, i;

	items = rep_pool_get(view->texts, group->line, &cnt);
	cnt /= sizeof(*items);
	for (i = 0; i < cnt; i++) {
		if (i)
			fputc(';', out);
		put_item(out, view, items[i], i + 1 == cnt);
	}
	fprintf(out, " %llu\n", (unsigned long long)group->value);
}

static void rest(FILE *out, const struct rep_view *view)
{
	fprintf(out, "[rest] %llu\n", (unsigned long long)view->fold->rest_value);
}

const struct rep_emit rep_emit_folded = {.begin = begin, .row = row, .rest = rest};
