/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <time.h>
#include "costs.h"
#include "emit_json.h"

static void put_string(struct rep_json *j, const char *key, const struct owt_string *s)
{
	if (s)
		rep_json_text(j, key, s->bytes, s->len);
}

static void put_word(struct rep_json *j, const char *key, const char *word)
{
	rep_json_text(j, key, word, strlen(word));
}

/* When the recording began by the host's wall clock, where that is known. */
static void put_started(struct rep_json *j, const struct owt_end *end)
{
	const struct owt_clock *clock = &end->clock;
	char text[64], whole[40];
	struct tm tm;
	time_t seconds;
	uint64_t ns;

	if (clock->realtime_ns == 0 || clock->monotonic_ns < end->start_ns ||
	    clock->realtime_ns < clock->monotonic_ns - end->start_ns)
		return;
	ns = clock->realtime_ns - (clock->monotonic_ns - end->start_ns);
	seconds = (time_t)(ns / 1000000000);
	if (!gmtime_r(&seconds, &tm) || !strftime(whole, sizeof(whole), "%Y-%m-%dT%H:%M:%S", &tm))
		return;
	snprintf(text, sizeof(text), "%s.%09lluZ", whole, (unsigned long long)(ns % 1000000000));
	put_word(j, "started", text);
}

static bool is_named(const struct owt_meta *meta)
{
	static const char *const keys[] = { "producer", "host", "kernel", "machine" };
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(keys); i++)
		if (meta->key.len == strlen(keys[i]) &&
		    memcmp(meta->key.bytes, keys[i], meta->key.len) == 0)
			return true;
	return false;
}

/* Of several values of one key the last one counts. The format allows 1,024 pairs. */
static bool is_last(const struct rep_trace *t, size_t i)
{
	const struct owt_string *key = &t->metas[i].key;
	size_t k;

	for (k = i + 1; k < t->meta_cnt; k++)
		if (t->metas[k].key.len == key->len &&
		    memcmp(t->metas[k].key.bytes, key->bytes, key->len) == 0)
			return false;
	return true;
}

static void put_options(struct rep_json *j, const struct rep_trace *t)
{
	size_t i;

	rep_json_open(j, "options", '{');
	for (i = 0; i < t->meta_cnt; i++)
		if (!is_named(&t->metas[i]) && !rep_cost_is_key(&t->metas[i].key) && is_last(t, i))
			rep_json_pair(j, t->metas[i].key.bytes, t->metas[i].key.len,
				      t->metas[i].value.bytes, t->metas[i].value.len);
	rep_json_close(j, '}');
}

static void put_file(struct rep_json *j, const struct owt_file_info *info)
{
	char version[24];

	snprintf(version, sizeof(version), "%u.%u", info->major, info->minor);
	put_word(j, "format_version", version);
	rep_json_bytes(j, "file_id", info->file_id, sizeof(info->file_id));
	rep_json_u64(j, "elf_machine", info->arch);
	rep_json_u64(j, "bytes", info->bytes);
	rep_json_u64(j, "chunks", info->chunks);
	rep_json_u64(j, "unknown_chunks", info->unknown_chunks);
	rep_json_bool(j, "complete", info->complete);
	if (!info->complete) {
		rep_json_u64(j, "dropped_bytes", info->dropped_bytes);
		rep_json_text(j, "why_partial", info->why_partial,
			      strnlen(info->why_partial, sizeof(info->why_partial)));
	}
}

static void put_clock(struct rep_json *j, const struct owt_clock *clock)
{
	rep_json_open(j, "clock", '{');
	rep_json_u64(j, "monotonic_ns", clock->monotonic_ns);
	rep_json_u64(j, "realtime_ns", clock->realtime_ns);
	rep_json_u64(j, "boottime_ns", clock->boottime_ns);
	rep_json_close(j, '}');
}

static void put_recording(struct rep_json *j, const struct rep_trace *t)
{
	const struct owt_end *end = &t->end;

	rep_json_line(j);
	rep_json_open(j, "recording", '{');
	put_string(j, "host", rep_trace_meta(t, "host"));
	put_string(j, "kernel", rep_trace_meta(t, "kernel"));
	put_string(j, "arch", rep_trace_meta(t, "machine"));
	put_string(j, "producer", rep_trace_meta(t, "producer"));
	put_started(j, end);
	rep_json_u64(j, "start_ns", end->start_ns);
	rep_json_u64(j, "end_ns", end->end_ns);
	rep_json_u64(j, "duration_ns",
		     end->end_ns > end->start_ns ? end->end_ns - end->start_ns : 0);
	put_clock(j, &end->clock);
	put_file(j, &t->info);
	put_options(j, t);
	rep_json_u64(j, "stored_rows", t->stored_rows);
	rep_json_u64(j, "kernel_symbols", t->ksym_cnt);
	rep_json_close(j, '}');
}

static void put_losses(struct rep_json *j, const struct owt_losses *losses)
{
	unsigned c;

	rep_json_open(j, "losses", '{');
	for (c = 0; c < OWT_LOSS_CNT; c++)
		rep_json_u64(j, owt_loss_name(c), losses->count[c]);
	rep_json_close(j, '}');
	rep_json_open(j, "losses_ns", '{');
	for (c = 0; c < OWT_LOSS_CNT; c++)
		rep_json_u64(j, owt_loss_name(c), losses->time_ns[c]);
	rep_json_close(j, '}');
}

static void put_selection(struct rep_json *j, const struct rep_view *view)
{
	static const char *const by[] = {
		[REP_BY_TID] = "tid", [REP_BY_TGID] = "tgid", [REP_BY_COMM] = "comm"
	};
	uint64_t from_ns, to_ns;
	unsigned kind;

	rep_select_span(view->select, &from_ns, &to_ns);
	rep_json_line(j);
	rep_json_open(j, "selection", '{');
	put_word(j, "by", by[view->fold_opts->by]);
	rep_json_open(j, "kinds", '[');
	for (kind = 0; kind < OWT_KIND_CNT; kind++)
		if (view->select_opts->kinds & (1u << kind))
			put_word(j, NULL, owt_kind_name(kind));
	rep_json_close(j, ']');
	rep_json_u64(j, "from_ns", from_ns);
	rep_json_u64(j, "to_ns", to_ns);
	rep_json_close(j, '}');
}

static void put_slices(struct rep_json *j, const struct rep_trace *t)
{
	size_t i;

	rep_json_line(j);
	rep_json_open(j, "slices", '[');
	for (i = 0; i < t->slice_cnt; i++) {
		const struct owt_slice *slice = &t->slices[i].slice;

		rep_json_line(j);
		rep_json_open(j, NULL, '{');
		rep_json_u64(j, "start_ns", slice->start_ns);
		rep_json_u64(j, "end_ns", slice->end_ns);
		rep_json_u64(j, "rows", t->slices[i].row_cnt);
		put_clock(j, &slice->clock);
		put_losses(j, &slice->losses);
		rep_json_close(j, '}');
	}
	rep_json_close(j, ']');
}

static void put_modules(struct rep_json *j, const struct rep_trace *t)
{
	size_t i, k;

	rep_json_line(j);
	rep_json_open(j, "modules", '[');
	for (i = 1; i < t->module_cnt; i++) {
		const struct owt_module *m = &t->modules[i];

		rep_json_line(j);
		rep_json_open(j, NULL, '{');
		rep_json_u64(j, "id", i);
		put_string(j, "path", &t->strings[m->path]);
		if (m->build_id_len)
			rep_json_bytes(j, "build_id", m->build_id, m->build_id_len);
		rep_json_open(j, "segments", '[');
		for (k = 0; k < m->segment_cnt; k++) {
			rep_json_open(j, NULL, '{');
			rep_json_hex(j, "offset", m->segments[k].offset);
			rep_json_hex(j, "vaddr", m->segments[k].vaddr);
			rep_json_hex(j, "size", m->segments[k].filesz);
			rep_json_close(j, '}');
		}
		rep_json_close(j, ']');
		rep_json_close(j, '}');
	}
	rep_json_close(j, ']');
}

static void put_processes(struct rep_json *j, const struct rep_trace *t)
{
	size_t i;

	rep_json_line(j);
	rep_json_open(j, "processes", '[');
	for (i = 1; i < t->process_cnt; i++) {
		const struct owt_process *p = &t->processes[i];

		rep_json_line(j);
		rep_json_open(j, NULL, '{');
		rep_json_u64(j, "id", i);
		rep_json_u64(j, "tgid", p->tgid);
		put_string(j, "comm", &t->strings[p->comm]);
		if (p->exe)
			put_string(j, "exe", &t->strings[p->exe]);
		if (p->start_ns)
			rep_json_u64(j, "start_ns", p->start_ns);
		rep_json_close(j, '}');
	}
	rep_json_close(j, ']');
}

static void put_mappings(struct rep_json *j, const struct rep_trace *t)
{
	size_t i;

	rep_json_line(j);
	rep_json_open(j, "mappings", '[');
	for (i = 0; i < t->mapping_cnt; i++) {
		const struct owt_mapping *m = &t->mappings[i];

		rep_json_line(j);
		rep_json_open(j, NULL, '{');
		rep_json_u64(j, "process", m->process);
		if (m->module)
			rep_json_u64(j, "module", m->module);
		rep_json_hex(j, "start", m->start);
		rep_json_hex(j, "end", m->end);
		rep_json_hex(j, "offset", m->offset);
		rep_json_close(j, '}');
	}
	rep_json_close(j, ']');
}

static void put_frame_stats(struct rep_json *j, const struct rep_symbols_stats *stats)
{
	unsigned why;

	rep_json_line(j);
	rep_json_open(j, "frames", '{');
	rep_json_u64(j, "all", stats->frames);
	rep_json_u64(j, "resolved", stats->resolved);
	rep_json_open(j, "unresolved", '{');
	for (why = 0; why < REP_UNRES_CNT; why++)
		if (stats->unresolved[why])
			rep_json_u64(j, rep_unresolved_text(why), stats->unresolved[why]);
	rep_json_close(j, '}');
	rep_json_close(j, '}');
}

void rep_emit_json_head(struct rep_json *j, const struct rep_view *view)
{
	const struct rep_trace *t = view->trace;

	put_word(j, "format", "offwake-report");
	rep_json_u64(j, "version", 1);
	put_recording(j, t);
	put_selection(j, view);
	rep_json_line(j);
	put_losses(j, &t->end.losses);
	put_slices(j, t);
	put_modules(j, t);
	put_processes(j, t);
	put_mappings(j, t);
	rep_emit_json_cost(j, view);
	rep_emit_json_reconcile(j, view);
	put_frame_stats(j, rep_symbols_stats(view->symbols));
}
