/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values are taken without a look at each: the column reader keeps the first fault and gives
 * zeros after it. Each function asks for the fault before it counts what it took.
 */
#include <inttypes.h>
#include "codec.h"

static uint32_t take32(struct owt_decoder *d, unsigned col)
{
	return (uint32_t)owt_colr_max(&d->r, col, UINT32_MAX);
}

/* What the rule of this record says, unless a fault came first. */
static int fault_or(struct owt_decoder *d, int checked)
{
	return d->r.err.code ? d->r.err.code : checked;
}

/* The next len bytes of a column, copied for the terminator's sake. */
static int lend_text(struct owt_decoder *d, unsigned slot, unsigned col, size_t len,
		     struct owt_string *out)
{
	const uint8_t *bytes = owt_colr_bytes(&d->r, col, len);
	struct owt_buf *text = &d->text[slot];
	int ret = d->r.err.code;

	text->len = 0;
	if (!ret)
		ret = owt_buf_add(text, bytes, len);
	if (!ret)
		ret = owt_buf_add_zeros(text, 1);
	if (ret)
		return ret;
	out->bytes = (const char *)text->bytes;
	out->len = len;
	return 0;
}

static int decode_meta(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_meta *m = &rec->meta;
	int ret;

	m->key.len = (size_t)owt_colr_max(&d->r, 0, OWT_META_KEY_MAX);
	m->value.len = (size_t)owt_colr_max(&d->r, 1, OWT_META_VALUE_MAX);
	ret = fault_or(d, owt_check_meta(&d->counts, m, &d->r.err));
	if (!ret)
		ret = lend_text(d, 0, 2, m->key.len, &m->key);
	if (!ret)
		ret = lend_text(d, 1, 3, m->value.len, &m->value);
	if (!ret)
		d->counts.pairs++;
	return ret;
}

static int decode_string(struct owt_decoder *d, struct owt_record *rec)
{
	int ret;

	rec->string.len = (size_t)owt_colr_max(&d->r, 0, OWT_STRING_MAX);
	ret = fault_or(d, owt_check_string(&d->counts, &rec->string, &d->r.err));
	if (!ret)
		ret = lend_text(d, 0, 1, rec->string.len, &rec->string);
	if (!ret)
		rec->id = ++d->counts.strings;
	return ret;
}

static int decode_frame(struct owt_decoder *d)
{
	uint64_t addr = owt_colr_fixed64(&d->r, 0);
	int ret = fault_or(d, owt_check_frame(&d->counts, &d->r.err));

	if (!ret)
		ret = owt_buf_add_fixed64(&d->frames, addr);
	if (!ret)
		d->counts.frames++;
	return ret;
}

/* Frames from the root down to the child of parent. */
static int child_depth(struct owt_decoder *d, uint32_t parent, uint8_t out[2])
{
	unsigned depth = 1;

	if (parent)
		depth += owt_load_u16(d->depths.bytes + (size_t)(parent - 1) * 2);
	if (depth > OWT_STACK_DEPTH_MAX)
		return owt_fail(&d->r.err, -OWT_E_LIMIT, "more than %d frames in a stack",
				OWT_STACK_DEPTH_MAX);
	owt_store_u16(out, (uint16_t)depth);
	return 0;
}

static int decode_node(struct owt_decoder *d, struct owt_record *rec)
{
	uint32_t distance = (uint32_t)owt_colr_max(&d->r, 0, d->counts.nodes);
	uint32_t frame = (uint32_t)owt_colr_max(&d->r, 1, d->counts.frames);
	uint32_t parent = distance ? d->counts.nodes + 1 - distance : 0;
	uint8_t depth[2];
	int ret = fault_or(d, owt_check_node(&d->counts, parent, frame, &d->r.err));

	if (!ret)
		ret = child_depth(d, parent, depth);
	if (!ret)
		ret = owt_buf_add(&d->depths, depth, sizeof(depth));
	if (ret)
		return ret;
	rec->id = ++d->counts.nodes;
	rec->node.parent = parent;
	rec->node.addr = owt_load_u64(d->frames.bytes + (size_t)(frame - 1) * 8);
	return 0;
}

static int decode_stack(struct owt_decoder *d, struct owt_record *rec)
{
	uint64_t leaf = d->previous + owt_unzigzag(owt_colr_leb(&d->r, 0));
	struct owt_stack *s = &rec->stack;
	int ret;

	s->status = (uint8_t)owt_colr_max(&d->r, 1, UINT8_MAX);
	s->error = (uint16_t)owt_colr_max(&d->r, 2, UINT16_MAX);
	if (leaf > d->counts.nodes)
		owt_fail(&d->r.err, -OWT_E_INVALID,
			 "leaf node: expected 0 to %" PRIu32 ", found %" PRIu64, d->counts.nodes,
			 leaf);
	s->leaf = d->r.err.code ? 0 : (uint32_t)leaf;
	ret = fault_or(d, owt_check_stack(&d->counts, s, &d->r.err));
	if (ret)
		return ret;
	d->previous = leaf;
	rec->id = ++d->counts.stacks;
	return 0;
}

static int decode_thread(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_thread *t = &rec->thread;
	int ret;

	t->tid = take32(d, 0);
	t->tgid = take32(d, 1);
	t->comm = take32(d, 2);
	ret = fault_or(d, owt_check_thread(&d->counts, t, &d->r.err));
	if (!ret)
		rec->id = ++d->counts.threads;
	return ret;
}

static int decode_module(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_module *m = &d->module;
	const uint8_t *build_id;
	int ret;

	*m = (struct owt_module){.path = take32(d, 0)};
	m->build_id_len = (uint8_t)owt_colr_max(&d->r, 1, OWT_BUILD_ID_MAX);
	m->segment_cnt = (uint16_t)owt_colr_max(&d->r, 2, OWT_SEGMENTS_MAX);
	build_id = owt_colr_bytes(&d->r, 3, m->build_id_len);
	ret = fault_or(d, owt_check_module(&d->counts, m, &d->r.err));
	if (ret)
		return ret;
	for (unsigned i = 0; i < m->build_id_len; i++)
		m->build_id[i] = build_id[i];
	for (unsigned i = 0; i < m->segment_cnt; i++) {
		m->segments[i].offset = owt_colr_leb(&d->r, 4);
		m->segments[i].vaddr = owt_colr_leb(&d->r, 5);
		m->segments[i].filesz = owt_colr_leb(&d->r, 6);
	}
	if (d->r.err.code)
		return d->r.err.code;
	rec->module = m;
	rec->id = ++d->counts.modules;
	return 0;
}

static int decode_process(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_process *p = &rec->process;
	int ret;

	p->tgid = take32(d, 0);
	p->comm = take32(d, 1);
	p->exe = take32(d, 2);
	p->start_ns = owt_colr_leb(&d->r, 3);
	ret = fault_or(d, owt_check_process(&d->counts, p, &d->r.err));
	if (!ret)
		rec->id = ++d->counts.processes;
	return ret;
}

static int decode_mapping(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_mapping *m = &rec->mapping;
	int ret;

	m->process = take32(d, 0);
	m->module = take32(d, 1);
	m->start = owt_colr_leb(&d->r, 2);
	m->end = m->start + owt_colr_max(&d->r, 3, UINT64_MAX - m->start);
	m->offset = owt_colr_leb(&d->r, 4);
	ret = fault_or(d, owt_check_mapping(&d->counts, m, &d->r.err));
	if (!ret)
		d->counts.mappings++;
	return ret;
}

/* The module's name stays in its text slot for the symbols that follow in the payload. */
static int decode_ksym_module(struct owt_decoder *d, struct owt_string *out)
{
	struct owt_buf *text = &d->text[1];
	uint64_t change = owt_colr_max(&d->r, 3, OWT_KSYM_NEW_MODULE);
	size_t len = 0;

	if (change == OWT_KSYM_NEW_MODULE) {
		len = (size_t)owt_colr_max(&d->r, 5, OWT_KSYM_MODULE_MAX);
		if (!len)
			owt_fail(&d->r.err, -OWT_E_INVALID,
				 "module length: expected 1 to %d, found 0", OWT_KSYM_MODULE_MAX);
	}
	if (change != OWT_KSYM_SAME_MODULE || !d->r.record_next)
		return lend_text(d, 1, 6, len, out);
	*out = (struct owt_string){.bytes = (const char *)text->bytes, .len = text->len - 1};
	return d->r.err.code;
}

static int decode_ksym(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_ksym *k = &rec->ksym;
	int ret;

	k->addr = d->previous + owt_colr_max(&d->r, 0, UINT64_MAX - d->previous);
	k->type = (char)owt_colr_max(&d->r, 1, 'z');
	k->name.len = (size_t)owt_colr_max(&d->r, 2, OWT_KSYM_NAME_MAX);
	ret = decode_ksym_module(d, &k->module);
	if (!ret)
		ret = owt_check_ksym(&d->counts, k, &d->r.err);
	if (!ret)
		ret = lend_text(d, 0, 4, k->name.len, &k->name);
	if (ret)
		return ret;
	d->previous = d->counts.last_ksym = k->addr;
	d->counts.ksyms++;
	return 0;
}

static int decode_symbol(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_symbol *s = &rec->symbol;
	int ret;

	s->module = take32(d, 0);
	s->process = take32(d, 1);
	s->addr = d->previous + owt_unzigzag(owt_colr_leb(&d->r, 2));
	s->size = owt_colr_leb(&d->r, 3);
	s->name.len = (size_t)owt_colr_max(&d->r, 4, OWT_SYMBOL_NAME_MAX);
	ret = fault_or(d, owt_check_symbol(&d->counts, s, &d->r.err));
	if (!ret)
		ret = lend_text(d, 0, 5, s->name.len, &s->name);
	if (ret)
		return ret;
	d->previous = s->addr;
	d->counts.symbols++;
	return 0;
}

static int decode_account(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_account *a = &rec->account;
	int ret;

	a->thread = take32(d, 0);
	a->begin_ns = d->previous + owt_unzigzag(owt_colr_leb(&d->r, 1));
	a->end_ns = a->begin_ns + owt_colr_max(&d->r, 2, UINT64_MAX - a->begin_ns);
	a->cpu_ns = owt_colr_leb(&d->r, 3);
	a->early_ns = (int64_t)owt_unzigzag(owt_colr_leb(&d->r, 4));
	a->left_ns = owt_colr_leb(&d->r, 5);
	a->left_cnt = owt_colr_leb(&d->r, 6);
	a->lost_ns = owt_colr_leb(&d->r, 7);
	a->lost_cnt = owt_colr_leb(&d->r, 8);
	a->unseen_ends = owt_colr_leb(&d->r, 9);
	a->unseen_begins = owt_colr_leb(&d->r, 10);
	a->unseen_ns = owt_colr_leb(&d->r, 11);
	ret = fault_or(d, owt_check_account(&d->counts, a, &d->r.err));
	if (ret)
		return ret;
	d->previous = a->begin_ns;
	d->counts.accounts++;
	return 0;
}

static void take_row(struct owt_decoder *d, struct owt_row *r)
{
	r->kind = (uint8_t)owt_colr_max(&d->r, 0, UINT8_MAX);
	r->context = (uint8_t)owt_colr_max(&d->r, 1, UINT8_MAX);
	r->flags = take32(d, 2);
	r->state = take32(d, 3);
	r->target = take32(d, 4);
	r->waker = take32(d, 5);
	r->interrupted = take32(d, 6);
	r->target_kstack = take32(d, 7);
	r->target_ustack = take32(d, 8);
	r->waker_kstack = take32(d, 9);
	r->waker_ustack = take32(d, 10);
	r->wait_ns = owt_colr_leb(&d->r, 11);
	r->runq_ns = owt_colr_leb(&d->r, 12);
	r->count = owt_colr_leb(&d->r, 13);
	r->max_ns = r->wait_ns + r->runq_ns - owt_colr_leb(&d->r, 14);
	r->max_end_ns = d->previous + owt_unzigzag(owt_colr_leb(&d->r, 15));
	r->target_process = take32(d, 16);
	r->waker_process = take32(d, 17);
}

static int decode_row(struct owt_decoder *d, struct owt_record *rec)
{
	int ret;

	take_row(d, &rec->row);
	ret = fault_or(d, owt_check_row(&d->counts, &rec->row, &d->r.err));
	if (ret)
		return ret;
	d->previous = rec->row.max_end_ns;
	d->counts.rows++;
	d->counts.slice_rows++;
	return 0;
}

/* A list, so that a file may hold causes that this version does not know: those are skipped. */
static void take_losses(struct owt_decoder *d, unsigned col, struct owt_losses *out)
{
	uint64_t cnt = owt_colr_max(&d->r, col, OWT_LOSSES_MAX), next = 0;

	*out = (struct owt_losses){.count = {0}};
	for (uint64_t i = 0; i < cnt && !d->r.err.code; i++) {
		uint64_t cause = owt_colr_max(&d->r, col + 1, OWT_LOSS_CAUSE_MAX);
		uint64_t events = owt_colr_leb(&d->r, col + 2);
		uint64_t time_ns = owt_colr_leb(&d->r, col + 3);

		if (cause < next)
			owt_fail(&d->r.err, -OWT_E_INVALID,
				 "loss cause: expected at least %" PRIu64 ", found %" PRIu64, next,
				 cause);
		next = cause + 1;
		if (cause >= OWT_LOSS_CNT)
			continue;
		out->count[cause] = events;
		out->time_ns[cause] = time_ns;
	}
}

static void take_clock(struct owt_decoder *d, unsigned col, struct owt_clock *out)
{
	out->monotonic_ns = owt_colr_leb(&d->r, col);
	out->realtime_ns = owt_colr_leb(&d->r, col + 1);
	out->boottime_ns = owt_colr_leb(&d->r, col + 2);
}

static int decode_slice(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_slice *s = &rec->slice;

	d->seal.slices = owt_colr_leb(&d->r, 0);
	s->start_ns = owt_colr_leb(&d->r, 1);
	s->end_ns = owt_colr_leb(&d->r, 2);
	take_clock(d, 3, &s->clock);
	d->seal.rows = owt_colr_leb(&d->r, 6);
	d->seal.headers_crc = take32(d, 7);
	take_losses(d, 8, &s->losses);
	return fault_or(d, owt_check_slice(&d->counts, s, &d->r.err));
}

static int decode_end(struct owt_decoder *d, struct owt_record *rec)
{
	struct owt_end *e = &rec->end;

	e->start_ns = owt_colr_leb(&d->r, 0);
	e->end_ns = owt_colr_leb(&d->r, 1);
	take_clock(d, 2, &e->clock);
	d->seal.slices = owt_colr_leb(&d->r, 5);
	d->seal.rows = owt_colr_leb(&d->r, 6);
	take_losses(d, 7, &e->losses);
	return fault_or(d, owt_check_end(e, &d->r.err));
}

static int decode_frames(struct owt_decoder *d)
{
	int ret = 0;

	for (; !ret && d->r.record_next < d->r.record_cnt; d->r.record_next++)
		ret = decode_frame(d);
	return ret;
}

static int decode(struct owt_decoder *d, struct owt_record *rec)
{
	static const struct {
		int (*decode)(struct owt_decoder *d, struct owt_record *rec);
		enum owt_record_type type;
	} by_type[OWT_CHUNK_TYPE_CNT] = {
		[OWT_CHUNK_META] = {decode_meta, OWT_REC_META},
		[OWT_CHUNK_STRINGS] = {decode_string, OWT_REC_STRING},
		[OWT_CHUNK_NODES] = {decode_node, OWT_REC_NODE},
		[OWT_CHUNK_STACKS] = {decode_stack, OWT_REC_STACK},
		[OWT_CHUNK_THREADS] = {decode_thread, OWT_REC_THREAD},
		[OWT_CHUNK_MODULES] = {decode_module, OWT_REC_MODULE},
		[OWT_CHUNK_PROCESSES] = {decode_process, OWT_REC_PROCESS},
		[OWT_CHUNK_MAPPINGS] = {decode_mapping, OWT_REC_MAPPING},
		[OWT_CHUNK_KSYMS] = {decode_ksym, OWT_REC_KSYM},
		[OWT_CHUNK_ROWS] = {decode_row, OWT_REC_ROW},
		[OWT_CHUNK_SYMBOLS] = {decode_symbol, OWT_REC_SYMBOL},
		[OWT_CHUNK_ACCOUNTS] = {decode_account, OWT_REC_ACCOUNT},
		[OWT_CHUNK_SLICE_END] = {decode_slice, OWT_REC_SLICE},
		[OWT_CHUNK_END] = {decode_end, OWT_REC_END},
	};

	*rec = (struct owt_record){.type = by_type[d->type].type};
	return by_type[d->type].decode(d, rec);
}

/* SLICE_END and END speak of one thing each. */
static bool is_single(uint32_t type)
{
	return type == OWT_CHUNK_SLICE_END || type == OWT_CHUNK_END;
}

int owt_decoder_begin(struct owt_decoder *d, uint32_t type, bool newer, const uint8_t *bytes,
		      size_t n, struct owt_err *err)
{
	int ret = owt_colr_init(&d->r, owt_chunk_def(type), newer, bytes, n);

	if (!ret && is_single(type) && d->r.record_cnt != 1)
		ret = owt_fail(&d->r.err, -OWT_E_INVALID,
			       "record count: expected 1, found %" PRIu64, d->r.record_cnt);
	if (ret)
		return owt_fail(err, ret, "%s", d->r.err.text);
	d->type = type;
	d->previous = 0;
	return 0;
}

int owt_decoder_next(struct owt_decoder *d, struct owt_record *out, struct owt_err *err)
{
	struct owt_record rec;
	int ret = 0;

	if (d->type == OWT_CHUNK_FRAMES)
		ret = decode_frames(d);
	else if (d->r.record_next < d->r.record_cnt)
		ret = decode(d, &rec);
	else if (owt_colr_finish(&d->r))
		return owt_fail(err, d->r.err.code, "%s", d->r.err.text);
	else
		return 0;
	if (ret)
		return owt_fail(err, ret, "%s %" PRIu64 ": %s", d->r.def->record, d->r.record_next,
				d->r.err.code ? d->r.err.text : owt_strerror(ret));
	if (d->type == OWT_CHUNK_FRAMES)
		return owt_colr_finish(&d->r) ? owt_fail(err, d->r.err.code, "%s", d->r.err.text)
					      : 0;
	d->r.record_next++;
	*out = rec;
	return 1;
}

void owt_decoder_done(struct owt_decoder *d)
{
	owt_buf_done(&d->text[0]);
	owt_buf_done(&d->text[1]);
	owt_buf_done(&d->frames);
	owt_buf_done(&d->depths);
}
