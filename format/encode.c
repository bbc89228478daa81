/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each function writes the columns of its chunk type in their order in owt_chunk_def().
 */
#include <string.h>
#include "codec.h"

static int lebs(struct owt_encoder *e, unsigned first_col, const uint64_t *values, unsigned cnt)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < cnt; i++)
		ret = owt_colw_leb(&e->w, first_col + i, values[i]);
	return ret;
}

static int record(struct owt_encoder *e, const uint64_t *values, unsigned cnt)
{
	e->w.record_cnt++;
	return lebs(e, 0, values, cnt);
}

int owt_encode_meta(struct owt_encoder *e, const struct owt_meta *m)
{
	const uint64_t values[] = {m->key.len, m->value.len};
	int ret = record(e, values, OWT_ARRAY_SIZE(values));

	if (!ret)
		ret = owt_colw_bytes(&e->w, 2, m->key.bytes, m->key.len);
	if (!ret)
		ret = owt_colw_bytes(&e->w, 3, m->value.bytes, m->value.len);
	return ret;
}

int owt_encode_string(struct owt_encoder *e, const struct owt_string *s)
{
	const uint64_t values[] = {s->len};
	int ret = record(e, values, OWT_ARRAY_SIZE(values));

	return ret ? ret : owt_colw_bytes(&e->w, 1, s->bytes, s->len);
}

int owt_encode_frame(struct owt_encoder *e, uint64_t addr)
{
	e->w.record_cnt++;
	return owt_colw_fixed64(&e->w, 0, addr);
}

int owt_encode_node(struct owt_encoder *e, uint32_t distance, uint32_t frame)
{
	const uint64_t values[] = {distance, frame};

	return record(e, values, OWT_ARRAY_SIZE(values));
}

int owt_encode_stack(struct owt_encoder *e, const struct owt_stack *s)
{
	const uint64_t values[] = {owt_zigzag(s->leaf - e->previous), s->status, s->error};

	e->previous = s->leaf;
	return record(e, values, OWT_ARRAY_SIZE(values));
}

int owt_encode_thread(struct owt_encoder *e, const struct owt_thread *t)
{
	const uint64_t values[] = {t->tid, t->tgid, t->comm};

	return record(e, values, OWT_ARRAY_SIZE(values));
}

int owt_encode_module(struct owt_encoder *e, const struct owt_module *m)
{
	const uint64_t values[] = {m->path, m->build_id_len, m->segment_cnt};
	int ret = record(e, values, OWT_ARRAY_SIZE(values));

	if (!ret)
		ret = owt_colw_bytes(&e->w, 3, m->build_id, m->build_id_len);
	for (unsigned i = 0; !ret && i < m->segment_cnt; i++) {
		const struct owt_segment *s = &m->segments[i];
		const uint64_t segment[] = {s->offset, s->vaddr, s->filesz};

		ret = lebs(e, 4, segment, OWT_ARRAY_SIZE(segment));
	}
	return ret;
}

int owt_encode_process(struct owt_encoder *e, const struct owt_process *p)
{
	const uint64_t values[] = {p->tgid, p->comm, p->exe, p->start_ns};

	return record(e, values, OWT_ARRAY_SIZE(values));
}

int owt_encode_mapping(struct owt_encoder *e, const struct owt_mapping *m)
{
	const uint64_t values[] = {m->process, m->module, m->start, m->end - m->start, m->offset};

	return record(e, values, OWT_ARRAY_SIZE(values));
}

static unsigned module_change(const struct owt_encoder *e, const struct owt_string *module)
{
	if (module->len == e->module_len &&
	    (!module->len || !memcmp(module->bytes, e->module, module->len)))
		return OWT_KSYM_SAME_MODULE;
	return module->len ? OWT_KSYM_NEW_MODULE : OWT_KSYM_KERNEL;
}

int owt_encode_ksym(struct owt_encoder *e, const struct owt_ksym *k)
{
	const unsigned change = module_change(e, &k->module);
	const uint64_t values[] = {k->addr - e->previous, (unsigned char)k->type, k->name.len,
				   change};
	int ret = record(e, values, OWT_ARRAY_SIZE(values));

	e->previous = k->addr;
	if (!ret)
		ret = owt_colw_bytes(&e->w, 4, k->name.bytes, k->name.len);
	if (ret || change == OWT_KSYM_SAME_MODULE)
		return ret;
	e->module_len = k->module.len;
	if (change == OWT_KSYM_KERNEL)
		return 0;
	memcpy(e->module, k->module.bytes, k->module.len);
	ret = owt_colw_leb(&e->w, 5, k->module.len);
	return ret ? ret : owt_colw_bytes(&e->w, 6, k->module.bytes, k->module.len);
}

int owt_encode_symbol(struct owt_encoder *e, const struct owt_symbol *s)
{
	const uint64_t values[] = {s->module, s->process, owt_zigzag(s->addr - e->previous),
				   s->size, s->name.len};
	int ret = record(e, values, OWT_ARRAY_SIZE(values));

	e->previous = s->addr;
	return ret ? ret : owt_colw_bytes(&e->w, 5, s->name.bytes, s->name.len);
}

int owt_encode_account(struct owt_encoder *e, const struct owt_account *a)
{
	const uint64_t values[] = {a->thread,
				   owt_zigzag(a->begin_ns - e->previous),
				   a->end_ns - a->begin_ns,
				   a->cpu_ns,
				   owt_zigzag((uint64_t)a->early_ns),
				   a->left_ns,
				   a->left_cnt,
				   a->lost_ns,
				   a->lost_cnt,
				   a->unseen_ends,
				   a->unseen_begins,
				   a->unseen_ns};

	e->previous = a->begin_ns;
	return record(e, values, OWT_ARRAY_SIZE(values));
}

int owt_encode_row(struct owt_encoder *e, const struct owt_row *r)
{
	const uint64_t values[] = {
		r->kind,
		r->context,
		r->flags,
		r->state,
		r->target,
		r->waker,
		r->interrupted,
		r->target_kstack,
		r->target_ustack,
		r->waker_kstack,
		r->waker_ustack,
		r->wait_ns,
		r->runq_ns,
		r->count,
		r->wait_ns + r->runq_ns - r->max_ns,
		owt_zigzag(r->max_end_ns - e->previous),
		r->target_process,
		r->waker_process,
	};

	e->previous = r->max_end_ns;
	return record(e, values, OWT_ARRAY_SIZE(values));
}

static int encode_losses(struct owt_encoder *e, unsigned col, const struct owt_losses *l)
{
	uint64_t cnt = 0;
	int ret = 0;

	for (unsigned i = 0; !ret && i < OWT_LOSS_CNT; i++) {
		const uint64_t values[] = {i, l->count[i], l->time_ns[i]};

		if (!l->count[i] && !l->time_ns[i])
			continue;
		cnt++;
		ret = lebs(e, col + 1, values, OWT_ARRAY_SIZE(values));
	}
	return ret ? ret : owt_colw_leb(&e->w, col, cnt);
}

int owt_encode_slice(struct owt_encoder *e, const struct owt_slice *s, const struct owt_counts *c,
		     uint32_t headers_crc)
{
	const uint64_t values[] = {c->slices,
				   s->start_ns,
				   s->end_ns,
				   s->clock.monotonic_ns,
				   s->clock.realtime_ns,
				   s->clock.boottime_ns,
				   c->slice_rows,
				   headers_crc};
	int ret = record(e, values, OWT_ARRAY_SIZE(values));

	return ret ? ret : encode_losses(e, OWT_ARRAY_SIZE(values), &s->losses);
}

int owt_encode_end(struct owt_encoder *e, const struct owt_end *s, const struct owt_counts *c)
{
	const uint64_t values[] = {s->start_ns,
				   s->end_ns,
				   s->clock.monotonic_ns,
				   s->clock.realtime_ns,
				   s->clock.boottime_ns,
				   c->slices,
				   c->rows};
	int ret = record(e, values, OWT_ARRAY_SIZE(values));

	return ret ? ret : encode_losses(e, OWT_ARRAY_SIZE(values), &s->losses);
}

int owt_encoder_finish(struct owt_encoder *e, struct owt_buf *to)
{
	e->previous = 0;
	e->module_len = 0;
	return owt_colw_finish(&e->w, owt_chunk_def(e->type)->column_cnt, to);
}

void owt_encoder_done(struct owt_encoder *e)
{
	owt_colw_done(&e->w);
}
