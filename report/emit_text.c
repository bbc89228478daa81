/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ancestor's layout: the waker from root to leaf, "--", the target from leaf to root.
 */
#include "emit.h"
#include "parse.h"

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

static void begin(FILE *out, const struct rep_view *view)
{
	static const char *const values[] = {
		[REP_VALUE_TOTAL] = "blocked time (us)",
		[REP_VALUE_WAIT] = "time until woken (us)",
		[REP_VALUE_RUNQ] = "time from woken to running (us)",
		[REP_VALUE_COUNT] = "blocked intervals",
	};
	const char *context = view->shown == REP_SHOW_USER     ? "user"
			      : view->shown == REP_SHOW_KERNEL ? "kernel"
							       : "user + kernel";

	fprintf(out, "Tracing %s by %s off-CPU and waker stack", values[view->value], context);
	put_duration(out, view->trace);
	fputc('\n', out);
	rep_emit_caveats(out, view);
	fputc('\n', out);
}

static void put_party(FILE *out, const struct rep_view *view, const char *label,
		      const struct rep_party *party)
{
	fprintf(out, "    %-16s ", label);
	rep_emit_name(out, view, REP_ESC_TEXT, party->comm);
	fprintf(out, " %u\n", party->tid);
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
	if (view->delimited && view->shown == (REP_SHOW_USER | REP_SHOW_KERNEL) &&
	    rep_stack_has_frames(group->stacks[a]) && rep_stack_has_frames(group->stacks[b]))
		fputs("    -\n", out);
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
	fprintf(out, "        %llu\n\n", (unsigned long long)group->value);
}

static void end(FILE *out, const struct rep_view *view)
{
	(void)out;
	(void)view;
}

const struct rep_emit rep_emit_text = {.begin = begin, .row = row, .end = end};
