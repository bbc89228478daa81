/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sites.h"
#include "state.h"

/* How much a user frame is the program's own: the more the better. */
enum own { OWN_NOTHING, OWN_LEAF, OWN_LIBRARY, OWN_PROGRAM };

static bool starts_with(const char *bytes, size_t len, const char *prefix)
{
	return len >= strlen(prefix) && memcmp(bytes, prefix, strlen(prefix)) == 0;
}

static bool is_c_library(const struct owt_string *path)
{
	static const char *const names[] = { "libc.so", "libc-",      "libc.musl",
					     "ld-",	"libpthread", "[vdso]" };
	size_t start = path->len, i;

	while (start && path->bytes[start - 1] != '/')
		start--;
	for (i = 0; i < OWT_ARRAY_SIZE(names); i++)
		if (starts_with(path->bytes + start, path->len - start, names[i]))
			return true;
	return false;
}

static enum own own_of(const struct rep_describe *d, const struct rep_frame *frame,
		       const struct owt_string *exe)
{
	const struct owt_string *path;

	/* Code made at run time has names only if its maker told them. */
	if (!frame->module && frame->symbol)
		return OWN_PROGRAM;
	if (!frame->module)
		return frame->why == REP_UNRES_NO_MAPPING ? OWN_NOTHING : OWN_LEAF;
	path = &d->trace->strings[d->trace->modules[frame->module].path];
	if (exe->len && path->len == exe->len && memcmp(path->bytes, exe->bytes, exe->len) == 0)
		return OWN_PROGRAM;
	return is_c_library(path) ? OWN_LEAF : OWN_LIBRARY;
}

static uint32_t user_function(const struct rep_describe *d, struct rep_image image, uint32_t stack)
{
	const struct owt_string *exe = &d->trace->strings[rep_party_exe(d->parties, image.tgid)];
	uint32_t node = d->trace->stacks[stack].leaf, name = 0;
	enum own best = OWN_NOTHING, own;

	for (; node && best != OWN_PROGRAM; node = d->trace->nodes[node].parent) {
		const struct rep_frame *frame = rep_symbols_frame(d->symbols, REP_SPACE_USER, image,
								  d->trace->nodes[node].addr);

		own = own_of(d, frame, exe);
		if (own > best) {
			best = own;
			name = frame->name;
		}
	}
	return name;
}

static bool is_scheduler(const struct rep_pool *texts, uint32_t text)
{
	static const char *const names[] = { "schedule",    "__schedule",     "preempt_schedule",
					     "io_schedule", "__cond_resched", "_cond_resched",
					     "__switch_to" };
	const char *name;
	size_t len, i;

	name = rep_pool_get(texts, text, &len);
	for (i = 0; i < OWT_ARRAY_SIZE(names); i++)
		if (starts_with(name, len, names[i]))
			return true;
	return false;
}

static uint32_t kernel_function(const struct rep_describe *d, uint32_t stack)
{
	uint32_t node = d->trace->stacks[stack].leaf, name = 0;

	for (; node; node = d->trace->nodes[node].parent) {
		name = rep_symbols_frame(d->symbols, REP_SPACE_KERNEL, (struct rep_image){ 0, 0 },
					 d->trace->nodes[node].addr)
			       ->name;
		if (!is_scheduler(d->texts, name))
			break;
	}
	return name;
}

static int put_function(const struct rep_describe *d, const struct owt_row *row, uint32_t *out_name)
{
	struct rep_image image = { d->trace->threads[row->target].tgid, row->target_process };
	uint32_t name = 0;

	if (d->opts->shown & REP_SHOW_USER)
		name = user_function(d, image, row->target_ustack);
	if (!name && (d->opts->shown & REP_SHOW_KERNEL))
		name = kernel_function(d, row->target_kstack);
	if (!name)
		return rep_pool_put(d->texts, "[no stack]", 10, out_name);
	*out_name = name;
	return 0;
}

int rep_site_put(const struct rep_describe *d, const struct owt_row *row,
		 const struct rep_group *group, uint32_t *out_line)
{
	uint32_t items[REP_SITE_ROW_CNT];
	char state[16];
	int len = snprintf(state, sizeof(state), "%c%s", rep_state_letter(row->state),
			   row->kind == OWT_KIND_OPEN ? "[open]" : "");

	if (rep_party_label(d->texts, &group->target, &items[REP_SITE_TARGET]) ||
	    rep_pool_put(d->texts, state, (size_t)len, &items[REP_SITE_STATE]) ||
	    put_function(d, row, &items[REP_SITE_FUNCTION]) ||
	    rep_party_label(d->texts, &group->waker, &items[REP_SITE_WAKER]))
		return -ENOMEM;
	return rep_pool_put(d->texts, items, sizeof(items), out_line);
}

static int collapse_one(struct rep_table *sites, const struct rep_group *group,
			struct rep_pool *keys, struct rep_pool *texts, struct rep_budget *budget)
{
	struct rep_group *into, fresh = { 0 };
	const uint32_t *items;
	uint32_t id;
	size_t len;

	items = rep_pool_get(texts, group->line, &len);
	if (rep_pool_put(texts, items, REP_SITE_CNT * sizeof(*items), &fresh.line) ||
	    rep_pool_put(keys, &fresh.line, sizeof(fresh.line), &id) ||
	    (id > sites->cnt && rep_table_push(budget, sites, &fresh)))
		return -ENOMEM;
	into = rep_table_at(sites, id - 1);
	into->main_waker = items[REP_SITE_WAKER];
	rep_sums_add(&into->sums, &group->sums);
	return 0;
}

int rep_sites_collapse(struct rep_table *groups, struct rep_pool *texts, struct rep_budget *budget)
{
	struct rep_pool *keys = rep_pool_new(budget);
	int rc = keys ? 0 : -ENOMEM;
	struct rep_table sites;
	size_t i;

	rep_table_init(&sites, sizeof(struct rep_group));
	for (i = 0; rc == 0 && i < groups->cnt; i++)
		rc = collapse_one(&sites, rep_table_at(groups, i), keys, texts, budget);
	rep_pool_free(keys);
	rep_table_done(budget, rc ? &sites : groups);
	if (rc == 0)
		*groups = sites;
	return rc;
}
