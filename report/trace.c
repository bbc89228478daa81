/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each record goes to the table of its type. Rows that differ in nothing but their times are
 * summed while reading, so that a long recording takes the memory of its distinct rows.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "pool.h"
#include "trace.h"

struct rep_trace_store {
	struct rep_budget *budget;
	struct rep_arena arena;
	struct rep_pool *row_keys;
	bool keep_slices;
	uint64_t slice_rows; /* in the slice being read */
	struct rep_table metas, strings, nodes, stacks, threads, modules, processes, mappings,
		ksyms, symbols, accounts, rows, slices;
};

/* What makes two rows of different slices the same. No padding. */
struct row_key {
	uint32_t kind, context, flags, state, target, waker, target_process, waker_process;
	uint32_t stacks[4];
};

static int copy_string(struct rep_trace_store *s, const struct owt_string *from,
		       struct owt_string *out)
{
	const char *bytes = rep_arena_copy(s->budget, &s->arena, from->bytes, from->len);

	if (!bytes)
		return -ENOMEM;
	*out = (struct owt_string){bytes, from->len};
	return 0;
}

static int add_meta(struct rep_trace_store *s, const struct owt_meta *meta)
{
	struct owt_meta copy;

	if (copy_string(s, &meta->key, &copy.key) || copy_string(s, &meta->value, &copy.value))
		return -ENOMEM;
	return rep_table_push(s->budget, &s->metas, &copy);
}

static int add_string(struct rep_trace_store *s, const struct owt_string *string)
{
	struct owt_string copy;

	if (copy_string(s, string, &copy))
		return -ENOMEM;
	return rep_table_push(s->budget, &s->strings, &copy);
}

/* Symbols of one module stand together, mostly: its name is kept once for a run of them. */
static int add_ksym(struct rep_trace_store *s, const struct owt_ksym *sym)
{
	const struct owt_ksym *last =
		s->ksyms.cnt ? rep_table_at(&s->ksyms, s->ksyms.cnt - 1) : NULL;
	struct owt_ksym copy = *sym;

	if (copy_string(s, &sym->name, &copy.name))
		return -ENOMEM;
	if (last && last->module.len == sym->module.len &&
	    memcmp(last->module.bytes, sym->module.bytes, sym->module.len) == 0)
		copy.module = last->module;
	else if (copy_string(s, &sym->module, &copy.module))
		return -ENOMEM;
	return rep_table_push(s->budget, &s->ksyms, &copy);
}

static int add_symbol(struct rep_trace_store *s, const struct owt_symbol *sym)
{
	struct owt_symbol copy = *sym;

	if (copy_string(s, &sym->name, &copy.name))
		return -ENOMEM;
	return rep_table_push(s->budget, &s->symbols, &copy);
}

static void sum_row(struct owt_row *into, const struct owt_row *row)
{
	into->wait_ns = owt_sat_add(into->wait_ns, row->wait_ns);
	into->runq_ns = owt_sat_add(into->runq_ns, row->runq_ns);
	into->count = owt_sat_add(into->count, row->count);
	if (row->max_ns > into->max_ns) {
		into->max_ns = row->max_ns;
		into->max_end_ns = row->max_end_ns;
		into->interrupted = row->interrupted;
	}
}

static int add_row(struct rep_trace_store *s, const struct owt_row *row)
{
	struct row_key key = {
		row->kind,
		row->context,
		row->flags,
		row->state,
		row->target,
		row->waker,
		row->target_process,
		row->waker_process,
		{row->target_kstack, row->target_ustack, row->waker_kstack, row->waker_ustack}};
	struct rep_row copy = {*row, (uint32_t)s->slices.cnt};
	uint32_t id;

	s->slice_rows++;
	if (s->keep_slices)
		return rep_table_push(s->budget, &s->rows, &copy);
	if (rep_pool_put(s->row_keys, &key, sizeof(key), &id))
		return -ENOMEM;
	if (id > s->rows.cnt)
		return rep_table_push(s->budget, &s->rows, &copy);
	sum_row(&((struct rep_row *)rep_table_at(&s->rows, id - 1))->row, row);
	return 0;
}

static int add_slice(struct rep_trace_store *s, const struct owt_slice *slice)
{
	struct rep_slice copy = {*slice, s->slice_rows};

	s->slice_rows = 0;
	return rep_table_push(s->budget, &s->slices, &copy);
}

static int add_record(struct rep_trace *t, const struct owt_record *r)
{
	struct rep_trace_store *s = t->store;

	switch (r->type) {
	case OWT_REC_META:
		return add_meta(s, &r->meta);
	case OWT_REC_STRING:
		return add_string(s, &r->string);
	case OWT_REC_NODE:
		return rep_table_push(s->budget, &s->nodes, &r->node);
	case OWT_REC_STACK:
		return rep_table_push(s->budget, &s->stacks, &r->stack);
	case OWT_REC_THREAD:
		return rep_table_push(s->budget, &s->threads, &r->thread);
	case OWT_REC_MODULE:
		return rep_table_push(s->budget, &s->modules, r->module);
	case OWT_REC_PROCESS:
		return rep_table_push(s->budget, &s->processes, &r->process);
	case OWT_REC_MAPPING:
		return rep_table_push(s->budget, &s->mappings, &r->mapping);
	case OWT_REC_KSYM:
		return add_ksym(s, &r->ksym);
	case OWT_REC_SYMBOL:
		return add_symbol(s, &r->symbol);
	case OWT_REC_ACCOUNT:
		return rep_table_push(s->budget, &s->accounts, &r->account);
	case OWT_REC_ROW:
		t->stored_rows++;
		return add_row(s, &r->row);
	case OWT_REC_SLICE:
		return add_slice(s, &r->slice);
	case OWT_REC_END:
		t->end = r->end;
		return 0;
	}
	return 0;
}

/* Item 0 of each table that ids index. */
static int init_store(struct rep_trace_store *s)
{
	static const struct owt_string nothing = {"", 0};

	rep_table_init(&s->metas, sizeof(struct owt_meta));
	rep_table_init(&s->strings, sizeof(struct owt_string));
	rep_table_init(&s->nodes, sizeof(struct owt_node));
	rep_table_init(&s->stacks, sizeof(struct owt_stack));
	rep_table_init(&s->threads, sizeof(struct owt_thread));
	rep_table_init(&s->modules, sizeof(struct owt_module));
	rep_table_init(&s->processes, sizeof(struct owt_process));
	rep_table_init(&s->mappings, sizeof(struct owt_mapping));
	rep_table_init(&s->ksyms, sizeof(struct owt_ksym));
	rep_table_init(&s->symbols, sizeof(struct owt_symbol));
	rep_table_init(&s->accounts, sizeof(struct owt_account));
	rep_table_init(&s->rows, sizeof(struct rep_row));
	rep_table_init(&s->slices, sizeof(struct rep_slice));
	s->row_keys = rep_pool_new(s->budget);
	if (!s->row_keys || rep_table_push(s->budget, &s->strings, &nothing) ||
	    rep_table_push(s->budget, &s->nodes, NULL) ||
	    rep_table_push(s->budget, &s->stacks, NULL) ||
	    rep_table_push(s->budget, &s->threads, NULL) ||
	    rep_table_push(s->budget, &s->modules, NULL) ||
	    rep_table_push(s->budget, &s->processes, NULL))
		return -ENOMEM;
	return 0;
}

static void publish(struct rep_trace *t)
{
	const struct rep_trace_store *s = t->store;

	t->metas = s->metas.items;
	t->strings = s->strings.items;
	t->nodes = s->nodes.items;
	t->stacks = s->stacks.items;
	t->threads = s->threads.items;
	t->modules = s->modules.items;
	t->processes = s->processes.items;
	t->mappings = s->mappings.items;
	t->ksyms = s->ksyms.items;
	t->symbols = s->symbols.items;
	t->accounts = s->accounts.items;
	t->rows = s->rows.items;
	t->slices = s->slices.items;
	t->meta_cnt = s->metas.cnt;
	t->string_cnt = s->strings.cnt;
	t->node_cnt = s->nodes.cnt;
	t->stack_cnt = s->stacks.cnt;
	t->thread_cnt = s->threads.cnt;
	t->module_cnt = s->modules.cnt;
	t->process_cnt = s->processes.cnt;
	t->mapping_cnt = s->mappings.cnt;
	t->ksym_cnt = s->ksyms.cnt;
	t->symbol_cnt = s->symbols.cnt;
	t->account_cnt = s->accounts.cnt;
	t->row_cnt = s->rows.cnt;
	t->slice_cnt = s->slices.cnt;
}

/* What END would have said, as far as the slices tell. */
static void end_from_slices(struct rep_trace *t)
{
	size_t i, c;

	if (t->slice_cnt) {
		t->end.start_ns = t->slices[0].slice.start_ns;
		t->end.end_ns = t->slices[t->slice_cnt - 1].slice.end_ns;
		t->end.clock = t->slices[t->slice_cnt - 1].slice.clock;
	}
	for (i = 0; i < t->slice_cnt; i++) {
		const struct owt_losses *losses = &t->slices[i].slice.losses;

		for (c = 0; c < OWT_LOSS_CNT; c++) {
			t->end.losses.count[c] =
				owt_sat_add(t->end.losses.count[c], losses->count[c]);
			t->end.losses.time_ns[c] =
				owt_sat_add(t->end.losses.time_ns[c], losses->time_ns[c]);
		}
	}
}

static int read_all(struct rep_trace *t, struct owt_reader *reader, struct owt_err *err)
{
	const struct rep_budget *budget = t->store->budget;
	struct owt_record record;
	bool ended = false;
	int rc;

	while ((rc = owt_reader_next(reader, &record, err)) > 0) {
		if (add_record(t, &record))
			return owt_fail(err, budget->hit ? -OWT_E_LIMIT : -ENOMEM,
					budget->hit ? "the recording needs more than %zu MiB of "
						      "memory"
						    : "out of memory (limit %zu MiB)",
					budget->limit >> 20);
		ended |= record.type == OWT_REC_END;
	}
	if (rc < 0)
		return rc;
	t->info = *owt_reader_info(reader);
	publish(t);
	if (!ended)
		end_from_slices(t);
	return 0;
}

int rep_trace_load(const struct owt_source *source, const struct rep_trace_opts *opts,
		   struct rep_budget *budget, struct rep_trace **out_trace, struct owt_err *err)
{
	struct rep_trace *t = calloc(1, sizeof(*t));
	struct owt_reader *reader = NULL;
	int rc = -ENOMEM;

	if (t)
		t->store = calloc(1, sizeof(*t->store));
	if (!t || !t->store)
		goto out;
	t->store->budget = budget;
	t->store->keep_slices = opts->keep_slices;
	rc = init_store(t->store);
	if (rc == 0)
		rc = owt_reader_open(&reader, source, err);
	if (rc == 0)
		rc = read_all(t, reader, err);
	if (rc == 0) {
		*out_trace = t;
		t = NULL;
	}
out:
	owt_reader_free(reader);
	rep_trace_free(t);
	return rc < 0 ? owt_fail(err, rc, "%s", owt_strerror(rc)) : 0;
}

const struct owt_string *rep_trace_meta(const struct rep_trace *t, const char *key)
{
	size_t i, len = strlen(key);

	for (i = t->meta_cnt; i-- > 0;)
		if (t->metas[i].key.len == len && memcmp(t->metas[i].key.bytes, key, len) == 0)
			return &t->metas[i].value;
	return NULL;
}

bool rep_trace_is_partial(const struct rep_trace *t)
{
	unsigned c;

	for (c = 0; c < OWT_LOSS_CNT; c++)
		if (t->end.losses.count[c] && owt_loss_is_partial(c))
			return true;
	return !t->info.complete;
}

static void free_store(struct rep_trace_store *s)
{
	struct rep_table *tables[] = {&s->metas,   &s->strings, &s->nodes,     &s->stacks,
				      &s->threads, &s->modules, &s->processes, &s->mappings,
				      &s->ksyms,   &s->symbols, &s->accounts,  &s->rows,
				      &s->slices};
	size_t i;

	for (i = 0; i < OWT_ARRAY_SIZE(tables); i++)
		rep_table_done(s->budget, tables[i]);
	rep_pool_free(s->row_keys);
	rep_arena_done(s->budget, &s->arena);
	free(s);
}

void rep_trace_free(struct rep_trace *t)
{
	if (t && t->store)
		free_store(t->store);
	free(t);
}
