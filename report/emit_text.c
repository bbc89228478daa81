/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ancestor's layout: the waker from root to leaf, "--", the target from leaf to root.
 */
#include "emit.h"

static void put_party(FILE *out, const struct rep_view *view, const char *label,
		      const struct rep_party *party)
{
	fprintf(out, "    %-16s ", label);
	rep_emit_name(out, view, REP_ESC_TEXT, party->comm);
	if (view->fold_opts->by != REP_BY_COMM)
		fprintf(out, " %u", view->fold_opts->by == REP_BY_TID ? party->tid : party->tgid);
	fputc('\n', out);
}

static void put_lost(FILE *out, enum rep_stack which, uint32_t stack)
{
	if (which == REP_WAKER_KERNEL || which == REP_TARGET_KERNEL)
		fputs("    [Missed Kernel Stack]\n", out);
	else if (which == REP_TARGET_USER)
		fputs("    [Missed User Stack]\n", out);
	else
		/* Only here the ancestor tells the number. */
		fprintf(out, "    [Missed User Stack] -%u\n", REP_LOST_ERRNO(stack));
}

static void put_stack(FILE *out, const struct rep_view *view, const struct rep_group *group,
		      enum rep_stack which)
{
	bool from_root = which == REP_WAKER_USER || which == REP_WAKER_KERNEL;
	uint32_t stack = group->stacks[which];
	const uint32_t *frames;
	size_t cnt, i;

	if (stack & REP_LOST)
		put_lost(out, which, stack);
	if (!rep_stack_has_frames(stack))
		return;
	frames = rep_pool_get(view->texts, stack, &cnt);
	cnt /= sizeof(*frames);
	for (i = 0; i < cnt; i++) {
		fputs("    ", out);
		rep_emit_name(out, view, REP_ESC_TEXT, frames[from_root ? cnt - 1 - i : i]);
		fputc('\n', out);
	}
}

static void put_dash(FILE *out, const struct rep_view *view, const struct rep_group *group,
		     enum rep_stack a, enum rep_stack b)
{
	if (view->fold_opts->delimited &&
	    view->fold_opts->shown == (REP_SHOW_USER | REP_SHOW_KERNEL) &&
	    rep_stack_has_frames(group->stacks[a]) && rep_stack_has_frames(group->stacks[b]))
		fputs("    -\n", out);
}

/* The value comes first, whatever follows: parsers take the first field. */
static void put_value(FILE *out, const struct rep_view *view, const struct rep_sums *sums,
		      uint64_t value)
{
	fprintf(out, "        %llu", (unsigned long long)value);
	if (view->stats) {
		fprintf(out, " count=%llu mean_us=%llu max_us=%llu share=",
			(unsigned long long)sums->count,
			(unsigned long long)rep_sums_mean_us(sums, view->fold_opts->value),
			(unsigned long long)(sums->max_ns / 1000));
		rep_emit_share(out, 0, value, view->fold->all_value);
	}
	fputs("\n\n", out);
}

static void rest(FILE *out, const struct rep_view *view)
{
	fprintf(out, "    %-16s %zu rows\n", "rest:", view->fold->rest_cnt);
	put_value(out, view, &view->fold->rest, view->fold->rest_value);
}

static void row(FILE *out, const struct rep_view *view, const struct rep_group *group)
{
	put_party(out, view, "waker:", &group->waker);
	put_stack(out, view, group, REP_WAKER_USER);
	put_dash(out, view, group, REP_WAKER_USER, REP_WAKER_KERNEL);
	put_stack(out, view, group, REP_WAKER_KERNEL);
	fprintf(out, "    %-16s %s\n", "--", "--");
	put_stack(out, view, group, REP_TARGET_KERNEL);
	put_dash(out, view, group, REP_TARGET_KERNEL, REP_TARGET_USER);
	put_stack(out, view, group, REP_TARGET_USER);
	/* Parsers expect the value right behind the target. */
	if (group->flags & OWT_ROW_BEGAN_BEFORE)
		fputs("    [began before the recording]\n", out);
	put_party(out, view, "target:", &group->target);
	put_value(out, view, &group->sums, group->value);
}

const struct rep_emit rep_emit_text = {.begin = rep_emit_title, .row = row, .rest = rest};
