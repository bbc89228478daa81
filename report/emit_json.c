/* SPDX-License-Identifier: Apache-2.0 */
/*
 * docs/json.md. Each row is a line of its own, so that line tools can take the file apart.
 */
#include <string.h>
#include "emit.h"
#include "emit_json.h"
#include "state.h"

static void put_text_id(struct rep_json *j, const struct rep_view *view, const char *key,
			uint32_t text)
{
	const char *bytes;
	size_t len;

	bytes = rep_pool_get(view->texts, text, &len);
	rep_json_text(j, key, bytes, len);
}

static void put_party_fields(struct rep_json *j, const struct rep_view *view,
			     const struct rep_party *party)
{
	if (view->fold_opts->by == REP_BY_TID)
		rep_json_u64(j, "tid", party->tid);
	if (view->fold_opts->by != REP_BY_COMM)
		rep_json_u64(j, "tgid", party->tgid);
	put_text_id(j, view, "comm", party->comm);
}

static void put_module(struct rep_json *j, const struct rep_trace *t, const struct rep_frame *frame)
{
	const struct owt_module *module = &t->modules[frame->module];
	const struct owt_string *name = &t->strings[module->path];

	if (frame->ksym) {
		name = &t->ksyms[frame->ksym - 1].module;
		if (name->len)
			rep_json_text(j, "module", name->bytes, name->len);
	}
	if (!frame->module)
		return;
	rep_json_text(j, "module", name->bytes, name->len);
	rep_json_hex(j, "module_addr", frame->vaddr);
	if (module->build_id_len)
		rep_json_bytes(j, "build_id", module->build_id, module->build_id_len);
}

static void put_frame(struct rep_json *j, const struct rep_view *view, uint32_t item)
{
	const struct rep_frame *frame;
	const char *why;
	size_t len;

	frame = rep_pool_get(view->texts, item, &len);
	rep_json_open(j, NULL, '{');
	if (frame->space == REP_SPACE_KERNEL || view->fold_opts->by != REP_BY_COMM)
		rep_json_hex(j, "addr", frame->addr);
	if (frame->symbol) {
		put_text_id(j, view, "symbol", frame->symbol);
		if (frame->mangled)
			put_text_id(j, view, "mangled", frame->mangled);
		rep_json_u64(j, "offset", frame->offset);
	}
	put_module(j, view->trace, frame);
	if (!frame->symbol) {
		why = rep_unresolved_text(frame->why);
		rep_json_text(j, "unresolved", why, strlen(why));
	}
	rep_json_close(j, '}');
}

/* A stack that is absent has no key; of a lost one the reason stands in its place. */
static void put_stack(struct rep_json *j, const struct rep_view *view, uint32_t stack, bool user)
{
	const char *status = owt_stack_status_name(REP_LOST_STATUS(stack));
	const uint32_t *items;
	size_t cnt, i;

	if (!stack)
		return;
	if (stack & REP_LOST) {
		rep_json_open(j, user ? "user_lost" : "kernel_lost", '{');
		rep_json_text(j, "status", status, strlen(status));
		rep_json_u64(j, "errno", REP_LOST_ERRNO(stack));
		rep_json_close(j, '}');
		return;
	}
	items = rep_pool_get(view->texts, stack, &cnt);
	cnt /= sizeof(*items);
	rep_json_open(j, user ? "user" : "kernel", '[');
	for (i = 0; i < cnt && items[i] != REP_ITEM_CUT; i++)
		put_frame(j, view, items[i]);
	rep_json_close(j, ']');
	if (i < cnt)
		rep_json_bool(j, user ? "user_truncated" : "kernel_truncated", true);
}

static void put_waker(struct rep_json *j, const struct rep_view *view,
		      const struct rep_group *group)
{
	const char *context = owt_context_name(group->context);

	if (group->context == OWT_CTX_NONE) {
		rep_json_null(j, "waker");
		return;
	}
	rep_json_open(j, "waker", '{');
	rep_json_text(j, "context", context, strlen(context));
	if (group->waker_is_named || group->context == OWT_CTX_TASK)
		put_party_fields(j, view, &group->waker);
	put_stack(j, view, group->stacks[REP_WAKER_KERNEL], false);
	put_stack(j, view, group->stacks[REP_WAKER_USER], true);
	if (group->sums.interrupted.comm) {
		rep_json_open(j, "interrupted", '{');
		put_party_fields(j, view, &group->sums.interrupted);
		rep_json_close(j, '}');
	}
	rep_json_close(j, '}');
}

static void put_sums(struct rep_json *j, const struct rep_sums *sums)
{
	rep_json_u64(j, "total_ns", sums->total_ns);
	rep_json_u64(j, "wait_ns", sums->wait_ns);
	rep_json_u64(j, "runq_ns", sums->runq_ns);
	rep_json_u64(j, "count", sums->count);
	rep_json_u64(j, "max_ns", sums->max_ns);
	rep_json_u64(j, "max_end_ns", sums->max_end_ns);
	if (sums->overflow)
		rep_json_bool(j, "overflow", true);
}

static void row(FILE *out, const struct rep_view *view, const struct rep_group *group)
{
	const char *kind = owt_kind_name(group->kind), state = rep_state_letter(group->state);
	struct rep_json j = { .out = out, .follows = group != view->fold->groups };

	rep_json_line(&j);
	rep_json_open(&j, NULL, '{');
	rep_json_text(&j, "kind", kind, strlen(kind));
	rep_json_text(&j, "state", &state, 1);
	rep_json_u64(&j, "state_bits", group->state);
	rep_json_bool(&j, "began_before", group->flags & OWT_ROW_BEGAN_BEFORE);
	put_sums(&j, &group->sums);
	rep_json_open(&j, "target", '{');
	put_party_fields(&j, view, &group->target);
	put_stack(&j, view, group->stacks[REP_TARGET_KERNEL], false);
	put_stack(&j, view, group->stacks[REP_TARGET_USER], true);
	rep_json_close(&j, '}');
	put_waker(&j, view, group);
	rep_json_close(&j, '}');
}

static void begin(FILE *out, const struct rep_view *view)
{
	struct rep_json j = { .out = out };

	rep_json_open(&j, NULL, '{');
	rep_emit_json_head(&j, view);
	rep_json_line(&j);
	rep_json_open(&j, "rows", '[');
}

static void end(FILE *out, const struct rep_view *view)
{
	struct rep_json j = { .out = out, .follows = view->fold->group_cnt != 0 };

	fputc('\n', out);
	rep_json_close(&j, ']');
	if (view->fold->rest_cnt) {
		rep_json_line(&j);
		rep_json_open(&j, "rest", '{');
		rep_json_u64(&j, "rows", view->fold->rest_cnt);
		put_sums(&j, &view->fold->rest);
		rep_json_close(&j, '}');
	}
	rep_json_line(&j);
	rep_json_open(&j, "all", '{');
	rep_json_u64(&j, "rows", view->fold->rest_cnt + view->fold->group_cnt);
	put_sums(&j, &view->fold->all);
	rep_json_close(&j, '}');
	rep_json_close(&j, '}');
	fputc('\n', out);
}

const struct rep_emit rep_emit_json = { .begin = begin, .row = row, .end = end };
