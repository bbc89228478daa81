/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <string.h>
#include "codec.h"

static int range(const char *what, uint64_t v, uint64_t min, uint64_t max, struct owt_err *err)
{
	if (v >= min && v <= max)
		return 0;
	if (min > max)
		return owt_fail(err, -OWT_E_INVALID,
				"%s: expected none, as none is defined, found %" PRIu64, what, v);
	return owt_fail(err, -OWT_E_INVALID,
			"%s: expected %" PRIu64 " to %" PRIu64 ", found %" PRIu64, what, min, max,
			v);
}

/* Room for one more of what there are cnt already. */
static int room(const char *what, uint64_t cnt, uint64_t max, struct owt_err *err)
{
	if (cnt < max)
		return 0;
	return owt_fail(err, -OWT_E_LIMIT, "more than %" PRIu64 " %s, the limit of the format", max,
			what);
}

static int first_of(int a, int b)
{
	return a ? a : b;
}

int owt_check_meta(const struct owt_counts *c, const struct owt_meta *m, struct owt_err *err)
{
	int ret = room("metadata pairs", c->pairs, OWT_META_PAIRS_MAX, err);

	ret = first_of(ret, range("key length", m->key.len, 1, OWT_META_KEY_MAX, err));
	return first_of(ret, range("value length", m->value.len, 0, OWT_META_VALUE_MAX, err));
}

int owt_check_string(const struct owt_counts *c, const struct owt_string *s, struct owt_err *err)
{
	int ret = room("strings", c->strings, OWT_STRINGS_MAX, err);

	return first_of(ret, range("string length", s->len, 1, OWT_STRING_MAX, err));
}

int owt_check_frame(const struct owt_counts *c, struct owt_err *err)
{
	return room("frames", c->frames, OWT_FRAMES_MAX, err);
}

int owt_check_node(const struct owt_counts *c, uint32_t parent, uint32_t frame, struct owt_err *err)
{
	int ret = room("nodes", c->nodes, OWT_NODES_MAX, err);

	ret = first_of(ret, range("parent", parent, 0, c->nodes, err));
	return first_of(ret, range("frame", frame, 1, c->frames, err));
}

int owt_check_stack(const struct owt_counts *c, const struct owt_stack *s, struct owt_err *err)
{
	int ret = room("stacks", c->stacks, OWT_STACKS_MAX, err);

	ret = first_of(ret, range("stack status", s->status, 0, OWT_STACK_STATUS_CNT - 1, err));
	ret = first_of(ret, range("stack error", s->error, 0, OWT_STACK_ERROR_MAX, err));
	/* A complete stack without frames is the absent one: id 0, never defined. */
	return first_of(
		ret, range("leaf node", s->leaf, s->status == OWT_STACK_COMPLETE, c->nodes, err));
}

int owt_check_thread(const struct owt_counts *c, const struct owt_thread *t, struct owt_err *err)
{
	int ret = room("threads", c->threads, OWT_THREADS_MAX, err);

	return first_of(ret, range("comm", t->comm, 0, c->strings, err));
}

int owt_check_module(const struct owt_counts *c, const struct owt_module *m, struct owt_err *err)
{
	int ret = room("modules", c->modules, OWT_MODULES_MAX, err);

	ret = first_of(ret, range("path", m->path, 0, c->strings, err));
	ret = first_of(ret, range("build-id length", m->build_id_len, 0, OWT_BUILD_ID_MAX, err));
	return first_of(ret, range("segment count", m->segment_cnt, 0, OWT_SEGMENTS_MAX, err));
}

int owt_check_process(const struct owt_counts *c, const struct owt_process *p, struct owt_err *err)
{
	int ret = room("processes", c->processes, OWT_PROCESSES_MAX, err);

	ret = first_of(ret, range("comm", p->comm, 0, c->strings, err));
	return first_of(ret, range("exe", p->exe, 0, c->strings, err));
}

int owt_check_mapping(const struct owt_counts *c, const struct owt_mapping *m, struct owt_err *err)
{
	int ret = room("mappings", c->mappings, OWT_MAPPINGS_MAX, err);

	ret = first_of(ret, range("process", m->process, 1, c->processes, err));
	ret = first_of(ret, range("module", m->module, 0, c->modules, err));
	if (!ret && m->start == UINT64_MAX)
		return range("mapping start", m->start, 0, UINT64_MAX - 1, err);
	return first_of(ret, range("mapping end", m->end, m->start + 1, UINT64_MAX, err));
}

int owt_check_ksym(const struct owt_counts *c, const struct owt_ksym *k, struct owt_err *err)
{
	unsigned char type = (unsigned char)k->type;
	int ret = room("kernel symbols", c->ksyms, OWT_KSYMS_MAX, err);

	ret = first_of(ret, range("symbol address", k->addr, c->last_ksym, UINT64_MAX, err));
	ret = first_of(ret, range("symbol type", type, 'A', 'z', err));
	ret = first_of(ret, range("symbol name length", k->name.len, 1, OWT_KSYM_NAME_MAX, err));
	return first_of(ret,
			range("symbol module length", k->module.len, 0, OWT_KSYM_MODULE_MAX, err));
}

int owt_check_symbol(const struct owt_counts *c, const struct owt_symbol *s, struct owt_err *err)
{
	int ret = room("symbols", c->symbols, OWT_SYMBOLS_MAX, err);

	ret = first_of(ret, range("module", s->module, 0, c->modules, err));
	ret = first_of(ret, range("process", s->process, s->module ? 0 : 1,
				  s->module ? 0 : c->processes, err));
	ret = first_of(ret, range("symbol size", s->size, 1, UINT64_MAX, err));
	ret = first_of(ret, range("symbol address", s->addr, 0, UINT64_MAX - s->size, err));
	return first_of(ret,
			range("symbol name length", s->name.len, 1, OWT_SYMBOL_NAME_MAX, err));
}

static int check_row_enums(const struct owt_row *r, struct owt_err *err)
{
	int ret = range("kind", r->kind, 0, OWT_KIND_CNT - 1, err);

	ret = first_of(ret, range("context", r->context, 0, OWT_CTX_CNT - 1, err));
	return first_of(ret,
			range("flags", r->flags, 0, OWT_ROW_BEGAN_BEFORE | OWT_ROW_OVERFLOW, err));
}

int owt_check_row(const struct owt_counts *c, const struct owt_row *r, struct owt_err *err)
{
	const uint32_t waker_max = r->context == OWT_CTX_NONE ? 0 : c->threads;
	int ret = room("rows in a slice", c->slice_rows, OWT_SLICE_ROWS_MAX, err);

	ret = first_of(ret, check_row_enums(r, err));
	ret = first_of(ret, range("target", r->target, 1, c->threads, err));
	ret = first_of(ret, range("waker", r->waker, 0, waker_max, err));
	ret = first_of(ret, range("interrupted", r->interrupted, 0, c->threads, err));
	ret = first_of(ret, range("target kernel stack", r->target_kstack, 0, c->stacks, err));
	ret = first_of(ret, range("target user stack", r->target_ustack, 0, c->stacks, err));
	ret = first_of(ret, range("waker kernel stack", r->waker_kstack, 0, c->stacks, err));
	ret = first_of(ret, range("waker user stack", r->waker_ustack, 0, c->stacks, err));
	ret = first_of(ret, range("target process", r->target_process, 0, c->processes, err));
	return first_of(ret, range("waker process", r->waker_process, 0, c->processes, err));
}

int owt_check_slice(const struct owt_counts *c, const struct owt_slice *s, struct owt_err *err)
{
	int ret = room("slices", c->slices, OWT_SLICES_MAX, err);

	return first_of(ret, range("slice end", s->end_ns, s->start_ns, UINT64_MAX, err));
}

int owt_check_end(const struct owt_end *e, struct owt_err *err)
{
	return range("recording end", e->end_ns, e->start_ns, UINT64_MAX, err);
}
