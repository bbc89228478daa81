/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "line.h"

struct line {
	struct rep_pool *texts;
	uint32_t items[(LINE_FRAMES_MAX + 1) * REP_STACK_CNT + 4];
	size_t cnt;
};

static int add_text(struct line *line, const char *text)
{
	return rep_pool_put(line->texts, text, strlen(text), &line->items[line->cnt++]);
}

static int add_party(struct line *line, const struct rep_party *party)
{
	size_t len;

	rep_pool_get(line->texts, party->comm, &len);
	if (len == 0 && !party->tgid)
		return add_text(line, "[unnamed]");
	return rep_party_label(line->texts, party, &line->items[line->cnt++]);
}

static int add_stack(struct line *line, const struct rep_group *group, enum rep_stack which)
{
	uint32_t stack = group->stacks[which];
	bool from_root = which == REP_TARGET_KERNEL || which == REP_TARGET_USER;
	const uint32_t *frames;
	char marker[64];
	size_t cnt, i;

	if (stack == 0)
		return 0;
	if (stack & REP_LOST) {
		if (which == REP_WAKER_KERNEL || which == REP_TARGET_KERNEL)
			return add_text(line, "[Missed Kernel Stack]");
		if (which == REP_WAKER_USER)
			return add_text(line, "[Missed User Stack]");
		/* Only here the ancestor tells the number. */
		snprintf(marker, sizeof(marker), "[Missed User Stack] -%u", REP_LOST_ERRNO(stack));
		return add_text(line, marker);
	}
	frames = rep_pool_get(line->texts, stack, &cnt);
	cnt /= sizeof(*frames);
	for (i = 0; i < cnt; i++)
		line->items[line->cnt++] = frames[from_root ? cnt - 1 - i : i];
	return 0;
}

static void add_dash(struct line *line, const struct rep_group *group, enum rep_stack a,
		     enum rep_stack b)
{
	if (rep_stack_has_frames(group->stacks[a]) && rep_stack_has_frames(group->stacks[b]))
		line->items[line->cnt++] = REP_ITEM_DASH;
}

static int fill(struct line *line, const struct rep_group *group, bool dashes)
{
	if (add_party(line, &group->target))
		return -ENOMEM;
	if ((group->flags & OWT_ROW_BEGAN_BEFORE) && add_text(line, "[began before]"))
		return -ENOMEM;
	if (add_stack(line, group, REP_TARGET_USER))
		return -ENOMEM;
	if (dashes)
		add_dash(line, group, REP_TARGET_USER, REP_TARGET_KERNEL);
	if (add_stack(line, group, REP_TARGET_KERNEL))
		return -ENOMEM;
	line->items[line->cnt++] = REP_ITEM_DASH_DASH;
	if (add_stack(line, group, REP_WAKER_KERNEL))
		return -ENOMEM;
	if (dashes)
		add_dash(line, group, REP_WAKER_KERNEL, REP_WAKER_USER);
	if (add_stack(line, group, REP_WAKER_USER))
		return -ENOMEM;
	return add_party(line, &group->waker);
}

int rep_line_put(const struct rep_group *group, uint32_t shown, bool delimited,
		 struct rep_pool *texts, uint32_t *out_line)
{
	struct line *line = malloc(sizeof(*line));
	int rc;

	if (!line)
		return -ENOMEM;
	line->texts = texts;
	line->cnt = 0;
	rc = fill(line, group, delimited && shown == (REP_SHOW_USER | REP_SHOW_KERNEL));
	if (rc == 0)
		rc = rep_pool_put(texts, line->items, line->cnt * sizeof(*line->items), out_line);
	free(line);
	return rc;
}
