/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One generator speaks to the writer and notes, in words, what a reader must then see. The
 * reader's records are put into the same words, stacks by following their nodes, so equal
 * texts mean equal content.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sample.h"

static int mem_write(void *ctx, const void *bytes, size_t n)
{
	struct mem *m = ctx;

	if (m->writes_left && !--m->writes_left) {
		m->writes_left = 1;
		return -ENOSPC;
	}
	if (m->len + n > m->cap) {
		m->cap = (m->len + n) * 2;
		m->bytes = realloc(m->bytes, m->cap);
		if (!m->bytes)
			abort();
	}
	memcpy(m->bytes + m->len, bytes, n);
	m->len += n;
	return 0;
}

static ptrdiff_t mem_read(void *ctx, void *bytes, size_t n)
{
	struct mem *m = ctx;
	size_t left = m->len - m->pos;

	if (m->chop && n > m->chop)
		n = m->chop;
	if (m->random && n > 1)
		n = 1 + (unsigned)rand_r(&m->random) % (n < 300 ? n : 300);
	if (n > left)
		n = left;
	if (n)
		memcpy(bytes, m->bytes + m->pos, n);
	m->pos += n;
	return (ptrdiff_t)n;
}

struct owt_sink mem_sink(struct mem *m)
{
	return (struct owt_sink){.write = mem_write, .ctx = m};
}

struct owt_source mem_source(struct mem *m)
{
	m->pos = 0;
	return (struct owt_source){.read = mem_read, .ctx = m};
}

void mem_free(struct mem *m)
{
	free(m->bytes);
	m->bytes = NULL;
	m->len = m->cap = 0;
}

static void put_bytes(FILE *f, const struct owt_string *s)
{
	fprintf(f, " %zu:", s->len);
	fwrite(s->bytes, 1, s->len, f);
}

static void put_stack(FILE *f, const struct owt_stack *s, const uint64_t *addrs, size_t cnt)
{
	fprintf(f, "stack %u %u:", s->status, s->error);
	for (size_t i = 0; i < cnt; i++)
		fprintf(f, " %" PRIx64, addrs[i]);
	fputc('\n', f);
}

static void put_module(FILE *f, const struct owt_module *m)
{
	fprintf(f, "module %u ", m->path);
	for (unsigned i = 0; i < m->build_id_len; i++)
		fprintf(f, "%02x", m->build_id[i]);
	for (unsigned i = 0; i < m->segment_cnt; i++)
		fprintf(f, " %" PRIx64 "@%" PRIx64 "+%" PRIx64, m->segments[i].offset,
			m->segments[i].vaddr, m->segments[i].filesz);
	fputc('\n', f);
}

static void put_row(FILE *f, const struct owt_row *r)
{
	fprintf(f,
		"row %u %u %u %u %u %u %u %u %u %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		" %" PRIu64 " %u %u\n",
		r->kind, r->context, r->flags, r->state, r->target, r->waker, r->interrupted,
		r->target_kstack, r->target_ustack, r->waker_kstack, r->waker_ustack, r->wait_ns,
		r->runq_ns, r->count, r->max_ns, r->max_end_ns, r->target_process, r->waker_process);
}

static void put_span(FILE *f, const char *what, uint64_t start, uint64_t end,
		     const struct owt_clock *c, const struct owt_losses *l)
{
	fprintf(f, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, what, start, end,
		c->monotonic_ns, c->realtime_ns, c->boottime_ns);
	for (unsigned i = 0; i < OWT_LOSS_CNT; i++)
		fprintf(f, " %" PRIu64 "/%" PRIu64, l->count[i], l->time_ns[i]);
	fputc('\n', f);
}

/* Everything but stacks and nodes, which need the tree. */
static void put_record(FILE *f, const struct owt_record *r)
{
	switch (r->type) {
	case OWT_REC_META:
		fputs("meta", f);
		put_bytes(f, &r->meta.key);
		put_bytes(f, &r->meta.value);
		fputc('\n', f);
		break;
	case OWT_REC_STRING:
		fprintf(f, "string %u", r->id);
		put_bytes(f, &r->string);
		fputc('\n', f);
		break;
	case OWT_REC_THREAD:
		fprintf(f, "thread %u: %u %u %u\n", r->id, r->thread.tid, r->thread.tgid,
			r->thread.comm);
		break;
	case OWT_REC_MODULE:
		put_module(f, r->module);
		break;
	case OWT_REC_PROCESS:
		fprintf(f, "process %u: %u %u %u %" PRIu64 "\n", r->id, r->process.tgid,
			r->process.comm, r->process.exe, r->process.start_ns);
		break;
	case OWT_REC_MAPPING:
		fprintf(f, "mapping %u %u %" PRIx64 "-%" PRIx64 " %" PRIx64 "\n",
			r->mapping.process, r->mapping.module, r->mapping.start, r->mapping.end,
			r->mapping.offset);
		break;
	case OWT_REC_KSYM:
		fprintf(f, "ksym %" PRIx64 " %c", r->ksym.addr, r->ksym.type);
		put_bytes(f, &r->ksym.name);
		put_bytes(f, &r->ksym.module);
		fputc('\n', f);
		break;
	case OWT_REC_SYMBOL:
		fprintf(f, "symbol %u %u %" PRIx64 "+%" PRIx64, r->symbol.module,
			r->symbol.process, r->symbol.addr, r->symbol.size);
		put_bytes(f, &r->symbol.name);
		fputc('\n', f);
		break;
	case OWT_REC_ROW:
		put_row(f, &r->row);
		break;
	case OWT_REC_SLICE:
		put_span(f, "slice", r->slice.start_ns, r->slice.end_ns, &r->slice.clock,
			 &r->slice.losses);
		break;
	case OWT_REC_END:
		put_span(f, "end", r->end.start_ns, r->end.end_ns, &r->end.clock, &r->end.losses);
		break;
	default:
		abort();
	}
}

/* Text of one kind of record of the slice that is being made. */
struct note {
	FILE *f;
	char *text;
	size_t len;
};

struct gen {
	struct owt_writer *w;
	unsigned seed;
	int ret;
	struct note notes[OWT_REC_END + 1];
	FILE *text;
	uint32_t strings, stacks, threads, modules, processes;
	uint64_t now, ksym_addr;
	struct owt_losses losses;
};

static uint32_t pick(struct gen *g, uint32_t below)
{
	return below ? (uint32_t)rand_r(&g->seed) % below : 0;
}

static uint64_t wide(struct gen *g)
{
	uint64_t v = (uint64_t)rand_r(&g->seed) << 42 ^ (uint64_t)rand_r(&g->seed) << 21 ^
		     (uint64_t)rand_r(&g->seed);

	return v >> pick(g, 64);
}

static void note(struct gen *g, const struct owt_record *r)
{
	if (!g->ret)
		put_record(g->notes[r->type].f, r);
}

static void make_string(struct gen *g)
{
	char bytes[40];
	size_t len = 1 + pick(g, sizeof(bytes));
	struct owt_record r = {.type = OWT_REC_STRING, .string = {bytes, len}};

	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)pick(g, 256);
	g->ret = owt_writer_string(g->w, bytes, len, &r.id, NULL);
	if (g->ret || r.id <= g->strings)
		return;
	g->strings = r.id;
	note(g, &r);
}

static void make_meta(struct gen *g, const char *key, const char *value)
{
	struct owt_record r = {.type = OWT_REC_META,
			       .meta = {{key, strlen(key)}, {value, strlen(value)}}};

	g->ret = owt_writer_meta(g->w, key, value, NULL);
	note(g, &r);
}

static void make_stack(struct gen *g)
{
	struct owt_stack s = {.status = (uint8_t)pick(g, 2)};
	uint64_t addrs[60], code = pick(g, 2) ? 0xffffffff81000000u : 0x7f0000400000u;
	size_t cnt = 1 + pick(g, OWT_ARRAY_SIZE(addrs));
	uint32_t id;

	for (size_t i = 0; i < cnt; i++)
		addrs[i] = code + 16u * pick(g, 2u + (uint32_t)(cnt - i) * 2);
	if (!pick(g, 9)) {
		cnt = 0;
		s.status = (uint8_t)(OWT_STACK_WALK_FAILED + pick(g, 3));
		s.error = (uint16_t)pick(g, 3);
	}
	g->ret = owt_writer_stack(g->w, addrs, cnt, s.status, s.error, &id, NULL);
	if (g->ret || id <= g->stacks)
		return;
	g->stacks = id;
	put_stack(g->notes[OWT_REC_STACK].f, &s, addrs, cnt);
}

static void make_thread(struct gen *g)
{
	struct owt_record r = {.type = OWT_REC_THREAD};

	r.thread.tid = 1 + pick(g, 100);
	r.thread.tgid = 1 + pick(g, 10);
	r.thread.comm = pick(g, g->strings + 1);
	g->ret = owt_writer_thread(g->w, &r.thread, &r.id, NULL);
	if (g->ret || r.id <= g->threads)
		return;
	g->threads = r.id;
	note(g, &r);
}

static void make_module(struct gen *g)
{
	struct owt_module m = {.path = pick(g, g->strings + 1)};
	struct owt_record r = {.type = OWT_REC_MODULE, .module = &m};

	m.build_id_len = (uint8_t)pick(g, OWT_BUILD_ID_MAX + 1);
	m.segment_cnt = (uint16_t)pick(g, 4) ? (uint16_t)pick(g, 4) : OWT_SEGMENTS_MAX;
	for (unsigned i = 0; i < m.build_id_len; i++)
		m.build_id[i] = (uint8_t)pick(g, 256);
	for (unsigned i = 0; i < m.segment_cnt; i++)
		m.segments[i] = (struct owt_segment){wide(g), wide(g), wide(g)};
	g->ret = owt_writer_module(g->w, &m, &g->modules, NULL);
	note(g, &r);
}

static void make_process(struct gen *g)
{
	struct owt_record r = {.type = OWT_REC_PROCESS};

	r.process.tgid = pick(g, 4194304);
	r.process.comm = pick(g, g->strings + 1);
	r.process.exe = pick(g, g->strings + 1);
	r.process.start_ns = wide(g);
	g->ret = owt_writer_process(g->w, &r.process, &r.id, NULL);
	g->processes = r.id;
	note(g, &r);
}

static void make_mapping(struct gen *g)
{
	struct owt_record r = {.type = OWT_REC_MAPPING};

	r.mapping.process = 1 + pick(g, g->processes);
	r.mapping.module = pick(g, g->modules + 1);
	r.mapping.start = wide(g) >> 2;
	r.mapping.end = r.mapping.start + 1 + (wide(g) >> 2);
	r.mapping.offset = wide(g);
	g->ret = owt_writer_mapping(g->w, &r.mapping, NULL);
	note(g, &r);
}

static void make_ksym(struct gen *g)
{
	static const char *const modules[] = {"", "", "", "ext4", "nf_tables", "bpf"};
	char name[64];
	struct owt_record r = {.type = OWT_REC_KSYM};

	g->ksym_addr += g->ksym_addr ? 16 * pick(g, 40) : 0xffffffff81000000u;
	r.ksym.addr = g->ksym_addr;
	r.ksym.type = "tTwW"[pick(g, 4)];
	r.ksym.name.bytes = name;
	r.ksym.name.len = (size_t)snprintf(name, sizeof(name), "sym_%x_%x", pick(g, 0xffffff),
					   pick(g, 0xffffff));
	r.ksym.module.bytes = modules[pick(g, OWT_ARRAY_SIZE(modules))];
	r.ksym.module.len = strlen(r.ksym.module.bytes);
	g->ret = owt_writer_ksym(g->w, &r.ksym, NULL);
	note(g, &r);
}

static void make_symbol(struct gen *g)
{
	struct owt_record r = {.type = OWT_REC_SYMBOL};
	char name[64];

	if (pick(g, 2))
		r.symbol.module = 1 + pick(g, g->modules);
	else
		r.symbol.process = 1 + pick(g, g->processes);
	r.symbol.addr = wide(g) >> 1;
	r.symbol.size = 1 + (wide(g) >> 1);
	r.symbol.name.bytes = name;
	r.symbol.name.len = (size_t)snprintf(name, sizeof(name), "fn_%x", pick(g, 0xffffff));
	g->ret = owt_writer_symbol(g->w, &r.symbol, NULL);
	note(g, &r);
}

static void make_row(struct gen *g)
{
	struct owt_record rec = {.type = OWT_REC_ROW};
	struct owt_row *r = &rec.row;

	r->kind = (uint8_t)pick(g, OWT_KIND_CNT);
	r->context = (uint8_t)pick(g, OWT_CTX_CNT);
	r->flags = pick(g, 4);
	r->state = pick(g, 4) ? 1 : (uint32_t)wide(g);
	r->target = 1 + pick(g, g->threads);
	r->waker = r->context != OWT_CTX_NONE ? pick(g, g->threads + 1) : 0;
	r->interrupted = pick(g, g->threads + 1);
	r->target_kstack = pick(g, g->stacks + 1);
	r->target_ustack = pick(g, g->stacks + 1);
	r->waker_kstack = pick(g, g->stacks + 1);
	r->waker_ustack = pick(g, g->stacks + 1);
	r->wait_ns = wide(g);
	r->runq_ns = wide(g);
	r->count = wide(g);
	r->max_ns = pick(g, 2) ? r->wait_ns + r->runq_ns : wide(g);
	r->max_end_ns = g->now + pick(g, 1000000000);
	r->target_process = pick(g, g->processes + 1);
	r->waker_process = pick(g, g->processes + 1);
	g->ret = owt_writer_row(g->w, r, NULL);
	note(g, &rec);
}

static void repeat(struct gen *g, void (*make)(struct gen *g), unsigned times)
{
	while (times-- && !g->ret)
		make(g);
}

static int open_notes(struct gen *g)
{
	for (unsigned i = 0; i < OWT_ARRAY_SIZE(g->notes); i++) {
		g->notes[i].f = open_memstream(&g->notes[i].text, &g->notes[i].len);
		if (!g->notes[i].f)
			abort();
	}
	return 0;
}

/* Puts the notes of a slice in the order of a file, if it was written. */
static void close_notes(struct gen *g)
{
	for (unsigned i = 0; i < OWT_ARRAY_SIZE(g->notes); i++) {
		fclose(g->notes[i].f);
		if (!g->ret)
			fwrite(g->notes[i].text, 1, g->notes[i].len, g->text);
		free(g->notes[i].text);
	}
	fflush(g->text);
}

static void end_slice(struct gen *g)
{
	struct owt_record r = {.type = OWT_REC_SLICE};
	unsigned cause = pick(g, OWT_LOSS_CNT);

	r.slice.start_ns = g->now;
	r.slice.end_ns = g->now += 1000000000;
	r.slice.clock = (struct owt_clock){g->now, g->now + 1700000000000000000u, g->now + 7};
	r.slice.losses.count[cause] = wide(g);
	r.slice.losses.time_ns[cause] = wide(g);
	g->losses.count[cause] = owt_sat_add(g->losses.count[cause], r.slice.losses.count[cause]);
	if (!g->ret)
		g->ret = owt_writer_end_slice(g->w, &r.slice, NULL);
	note(g, &r);
}

static void make_slice(struct gen *g, const struct sample_opts *o, unsigned index)
{
	open_notes(g);
	if (!index) {
		make_meta(g, "os.release", "6.1.0");
		make_meta(g, "empty", "");
		repeat(g, make_ksym, o->ksyms);
	}
	repeat(g, make_string, 5);
	repeat(g, make_thread, 5);
	repeat(g, make_stack, o->stacks);
	repeat(g, make_module, 2);
	repeat(g, make_process, 2);
	repeat(g, make_mapping, 3);
	repeat(g, make_symbol, 3);
	repeat(g, make_row, o->rows);
	end_slice(g);
	close_notes(g);
}

static void make_end(struct gen *g)
{
	struct owt_record r = {.type = OWT_REC_END};

	r.end.start_ns = 1000;
	r.end.end_ns = g->now;
	r.end.clock = (struct owt_clock){g->now, 5, 6};
	r.end.losses = g->losses;
	g->ret = owt_writer_end(g->w, &r.end, NULL);
	if (!g->ret)
		put_record(g->text, &r);
}

int sample_make(struct sample *out, const struct sample_opts *opts)
{
	struct owt_writer_opts wo = {.arch = 62, .store = opts->store, .level = opts->level};
	struct gen g = {.seed = opts->seed, .now = 1000};
	struct owt_sink sink = mem_sink(&out->file);

	*out = (struct sample){.file = {.writes_left = opts->writes_left}};
	for (unsigned i = 0; i < sizeof(wo.file_id); i++)
		wo.file_id[i] = (uint8_t)(opts->seed + 1 + i);
	g.text = open_memstream(&out->text, &out->text_len);
	if (!g.text)
		abort();
	g.ret = owt_writer_open(&g.w, &wo, &sink, NULL);
	for (unsigned i = 0; !g.ret && i < opts->slices; i++) {
		make_slice(&g, opts, i);
		if (g.ret)
			break;
		out->slice_text[i] = out->text_len;
		out->slice_file[i] = out->file.len;
		out->slices++;
	}
	if (!g.ret)
		make_end(&g);
	owt_writer_free(g.w);
	fclose(g.text);
	return g.ret;
}

void sample_free(struct sample *s)
{
	mem_free(&s->file);
	free(s->text);
	s->text = NULL;
}

struct tree {
	struct owt_node *nodes;
	size_t cnt, cap;
};

static void keep_node(struct tree *t, const struct owt_node *n)
{
	if (t->cnt == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 64;
		t->nodes = realloc(t->nodes, t->cap * sizeof(*t->nodes));
		if (!t->nodes)
			abort();
	}
	t->nodes[t->cnt++] = *n;
}

static void put_read_stack(FILE *f, const struct tree *t, const struct owt_stack *s)
{
	uint64_t addrs[1100];
	size_t cnt = 0;

	for (uint32_t id = s->leaf; id && cnt < OWT_ARRAY_SIZE(addrs); id = t->nodes[id - 1].parent)
		addrs[cnt++] = t->nodes[id - 1].addr;
	put_stack(f, s, addrs, cnt);
}

static void put_read(FILE *f, struct tree *t, const struct owt_record *rec, struct reading *r)
{
	if (rec->type == OWT_REC_NODE)
		keep_node(t, &rec->node);
	else if (rec->type == OWT_REC_STACK)
		put_read_stack(f, t, &rec->stack);
	else
		put_record(f, rec);
	if (rec->type == OWT_REC_SLICE)
		r->slices++;
}

struct reading read_all(const struct owt_source *source)
{
	struct reading r = {.ret = 0};
	struct owt_reader *reader = NULL;
	struct tree tree = {.cnt = 0};
	struct owt_record rec;
	FILE *f = open_memstream(&r.text, &r.text_len);

	if (!f)
		abort();
	r.ret = owt_reader_open(&reader, source, &r.err);
	while (!r.ret && (r.ret = owt_reader_next(reader, &rec, &r.err)) > 0) {
		put_read(f, &tree, &rec, &r);
		r.ret = 0;
	}
	if (reader)
		r.info = *owt_reader_info(reader);
	owt_reader_free(reader);
	fclose(f);
	free(tree.nodes);
	return r;
}

struct reading read_mem(struct mem *m)
{
	struct owt_source source = mem_source(m);

	return read_all(&source);
}

void reading_free(struct reading *r)
{
	free(r->text);
	r->text = NULL;
}
