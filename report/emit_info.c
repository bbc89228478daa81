/* SPDX-License-Identifier: Apache-2.0 */
#include "emit.h"

static void put_string(FILE *out, const struct owt_string *s)
{
	rep_escape(out, REP_ESC_TEXT, s->bytes, s->len);
}

static void put_file(FILE *out, const struct owt_file_info *info)
{
	size_t i;

	fprintf(out, "format version: %u.%u\nfile id: ", info->major, info->minor);
	for (i = 0; i < sizeof(info->file_id); i++)
		fprintf(out, "%02x", info->file_id[i]);
	fprintf(out, "\nmachine: ELF e_machine %u\nbytes: %llu\nchunks: %llu\n", info->arch,
		(unsigned long long)info->bytes, (unsigned long long)info->chunks);
	if (info->unknown_chunks)
		fprintf(out, "chunks of unknown type, skipped: %llu\n",
			(unsigned long long)info->unknown_chunks);
	fprintf(out, "complete: %s\n", info->complete ? "yes" : "no");
	if (info->dropped_bytes)
		fprintf(out, "bytes dropped at the end: %llu\n",
			(unsigned long long)info->dropped_bytes);
}

static void put_metas(FILE *out, const struct rep_trace *t)
{
	size_t i;

	for (i = 0; i < t->meta_cnt; i++) {
		fputs("meta ", out);
		put_string(out, &t->metas[i].key);
		fputs(": ", out);
		put_string(out, &t->metas[i].value);
		fputc('\n', out);
	}
}

static void put_kinds(FILE *out, const struct rep_trace *t)
{
	uint64_t ns[OWT_KIND_CNT] = {0}, count[OWT_KIND_CNT] = {0};
	unsigned kind;
	size_t i;

	for (i = 0; i < t->row_cnt; i++) {
		const struct owt_row *row = &t->rows[i].row;

		ns[row->kind] = owt_sat_add(ns[row->kind], owt_sat_add(row->wait_ns, row->runq_ns));
		count[row->kind] = owt_sat_add(count[row->kind], row->count);
	}
	for (kind = 0; kind < OWT_KIND_CNT; kind++)
		fprintf(out, "%s: %llu intervals, %llu us\n", owt_kind_name(kind),
			(unsigned long long)count[kind], (unsigned long long)(ns[kind] / 1000));
}

static void put_stacks(FILE *out, const struct rep_trace *t)
{
	uint64_t by_status[OWT_STACK_STATUS_CNT] = {0};
	unsigned status;
	size_t i;

	for (i = 1; i < t->stack_cnt; i++)
		by_status[t->stacks[i].status]++;
	fprintf(out, "stacks: %zu\n", t->stack_cnt - 1);
	for (status = 0; status < OWT_STACK_STATUS_CNT; status++)
		if (by_status[status])
			fprintf(out, "stacks %s: %llu\n", owt_stack_status_name(status),
				(unsigned long long)by_status[status]);
}

static void put_modules(FILE *out, const struct rep_trace *t)
{
	size_t i, b;

	fprintf(out, "modules: %zu\n", t->module_cnt - 1);
	for (i = 1; i < t->module_cnt; i++) {
		const struct owt_module *m = &t->modules[i];

		fputs("module ", out);
		put_string(out, &t->strings[m->path]);
		fputs(m->build_id_len ? " build-id " : " without a build-id", out);
		for (b = 0; b < m->build_id_len; b++)
			fprintf(out, "%02x", m->build_id[b]);
		fputc('\n', out);
	}
}

static void put_frames(FILE *out, const struct rep_symbols_stats *stats)
{
	unsigned why;

	fprintf(out, "frames: %llu\nframes resolved: %llu (", (unsigned long long)stats->frames,
		(unsigned long long)stats->resolved);
	rep_emit_share(out, 0, stats->resolved, stats->frames);
	fputs(")\n", out);
	for (why = 0; why < REP_UNRES_CNT; why++)
		if (stats->unresolved[why])
			fprintf(out, "frames unresolved, %s: %llu\n", rep_unresolved_text(why),
				(unsigned long long)stats->unresolved[why]);
}

static size_t has_meta(const struct rep_trace *t, const char *key)
{
	const struct owt_string *value = rep_trace_meta(t, key);

	return value && value->len;
}

static size_t count_paths(const struct rep_trace *t)
{
	size_t cnt = 0, i;

	for (i = 1; i < t->module_cnt; i++)
		cnt += t->strings[t->modules[i].path].len != 0;
	for (i = 1; i < t->process_cnt; i++)
		cnt += t->strings[t->processes[i].exe].len != 0;
	return cnt;
}

/* What one may not want to hand on, present or not; docs/offwake-report.1 explains each. */
static void put_private(FILE *out, const struct rep_trace *t)
{
	const struct {
		const char *name;
		size_t cnt;
	} classes[] = {
		{"host name", has_meta(t, "host")},
		{"command", has_meta(t, "command")},
		{"wall-clock times", t->slice_cnt + t->info.complete},
		{"process and thread ids", t->thread_cnt - 1 + t->process_cnt - 1},
		{"process and thread names", t->thread_cnt - 1 + t->process_cnt - 1},
		{"file paths", count_paths(t)},
		{"memory addresses", t->node_cnt - 1 + 2 * t->mapping_cnt + t->ksym_cnt},
		{"kernel symbols", t->ksym_cnt},
	};
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(classes); i++)
		fprintf(out, "private, %s: %zu\n", classes[i].name, classes[i].cnt);
}

void rep_emit_info(FILE *out, const struct rep_view *view)
{
	const struct rep_trace *t = view->trace;

	put_file(out, &t->info);
	rep_emit_cut(out, &t->info);
	put_metas(out, t);
	fprintf(out, "start: %llu ns\nend: %llu ns\nslices: %zu\nrows: %llu (%zu distinct)\n",
		(unsigned long long)t->end.start_ns, (unsigned long long)t->end.end_ns,
		t->slice_cnt, (unsigned long long)t->stored_rows, t->row_cnt);
	put_kinds(out, t);
	rep_emit_losses(out, &t->end.losses);
	put_stacks(out, t);
	fprintf(out, "threads: %zu\nprocesses: %zu\nmappings: %zu\n", t->thread_cnt - 1,
		t->process_cnt - 1, t->mapping_cnt);
	put_modules(out, t);
	fprintf(out, "kernel symbols: %zu\n", t->ksym_cnt);
	rep_emit_cost(out, view);
	rep_emit_reconcile(out, view);
	put_frames(out, rep_symbols_stats(view->symbols));
	put_private(out, t);
}
