/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include "columns.h"

static const struct owt_chunk_def defs[OWT_CHUNK_TYPE_CNT] = {
	[OWT_CHUNK_META] = {"META",
			    "pair",
			    4,
			    {"key length", "value length", "key bytes", "value bytes"}},
	[OWT_CHUNK_STRINGS] = {"STRINGS", "string", 2, {"length", "bytes"}},
	[OWT_CHUNK_FRAMES] = {"FRAMES", "frame", 1, {"address"}},
	[OWT_CHUNK_NODES] = {"NODES", "node", 2, {"distance to parent", "frame"}},
	[OWT_CHUNK_STACKS] = {"STACKS", "stack", 3, {"leaf difference", "status", "error"}},
	[OWT_CHUNK_THREADS] = {"THREADS", "thread", 3, {"tid", "tgid", "comm"}},
	[OWT_CHUNK_MODULES] = {"MODULES",
			       "module",
			       7,
			       {"path", "build-id length", "segment count", "build-id bytes",
				"segment offset", "segment address", "segment size"}},
	[OWT_CHUNK_PROCESSES] = {"PROCESSES", "process", 4, {"tgid", "comm", "exe", "start"}},
	[OWT_CHUNK_MAPPINGS] = {"MAPPINGS",
				"mapping",
				5,
				{"process", "module", "start", "size", "offset"}},
	[OWT_CHUNK_KSYMS] = {"KSYMS",
			     "symbol",
			     7,
			     {"address difference", "type", "name length", "module change",
			      "name bytes", "module length", "module bytes"}},
	[OWT_CHUNK_ROWS] = {"ROWS",
			    "row",
			    18,
			    {"kind", "context", "flags", "state", "target", "waker", "interrupted",
			     "target kernel stack", "target user stack", "waker kernel stack",
			     "waker user stack", "wait", "runq", "count", "total less longest",
			     "longest end difference", "target process", "waker process"}},
	[OWT_CHUNK_SLICE_END] = {"SLICE_END",
				 "slice",
				 12,
				 {"number", "start", "end", "monotonic clock", "realtime clock",
				  "boottime clock", "row count", "header checksum", "loss count",
				  "loss cause", "loss events", "loss time"}},
	[OWT_CHUNK_SYMBOLS] = {"SYMBOLS",
			       "symbol",
			       6,
			       {"module", "process", "address difference", "size", "name length",
				"name bytes"}},
	[OWT_CHUNK_ACCOUNTS] = {"ACCOUNTS",
				"account",
				12,
				{"thread", "begin difference", "length", "cpu", "early cpu",
				 "left out time", "left out count", "lost time", "lost count",
				 "unseen ends", "unseen begins", "unseen time"}},
	[OWT_CHUNK_END] = {"END",
			   "end",
			   11,
			   {"start", "end", "monotonic clock", "realtime clock", "boottime clock",
			    "slice count", "row count", "loss count", "loss cause", "loss events",
			    "loss time"}},
};

const struct owt_chunk_def *owt_chunk_def(uint32_t type)
{
	return type < OWT_CHUNK_TYPE_CNT && defs[type].name ? &defs[type] : NULL;
}

const char *owt_chunk_name(uint32_t type)
{
	const struct owt_chunk_def *def = owt_chunk_def(type);

	return def ? def->name : "unknown";
}

int owt_colw_leb(struct owt_colw *w, unsigned col, uint64_t v)
{
	uint8_t bytes[OWT_LEB_MAX];

	return owt_colw_bytes(w, col, bytes, owt_leb_store(bytes, v));
}

int owt_colw_fixed64(struct owt_colw *w, unsigned col, uint64_t v)
{
	uint8_t bytes[8];

	owt_store_u64(bytes, v);
	return owt_colw_bytes(w, col, bytes, sizeof(bytes));
}

int owt_colw_bytes(struct owt_colw *w, unsigned col, const void *bytes, size_t n)
{
	int ret = owt_buf_add(&w->col[col], bytes, n);

	if (!ret)
		w->bytes += n;
	return ret;
}

int owt_colw_finish(struct owt_colw *w, unsigned column_cnt, struct owt_buf *to)
{
	int ret = owt_buf_reserve(to, w->bytes + OWT_COLUMNS_HEAD);

	if (!ret)
		ret = owt_buf_add_leb(to, w->record_cnt);
	if (!ret)
		ret = owt_buf_add_leb(to, column_cnt);
	for (unsigned i = 0; !ret && i < column_cnt; i++)
		ret = owt_buf_add_leb(to, w->col[i].len);
	for (unsigned i = 0; !ret && i < column_cnt; i++)
		ret = owt_buf_add(to, w->col[i].bytes, w->col[i].len);
	for (unsigned i = 0; i < OWT_COLUMNS_USED; i++)
		w->col[i].len = 0;
	w->record_cnt = 0;
	w->bytes = 0;
	return ret;
}

void owt_colw_done(struct owt_colw *w)
{
	for (unsigned i = 0; i < OWT_COLUMNS_USED; i++)
		owt_buf_done(&w->col[i]);
	w->record_cnt = 0;
	w->bytes = 0;
}

static const char *leb_fault(int code)
{
	switch (code) {
	case -EILSEQ:
		return "a number that is not in its shortest form";
	case -EOVERFLOW:
		return "a number of more than 64 bits";
	default:
		return "no more bytes";
	}
}

static uint64_t head_leb(struct owt_colr *r, struct owt_cursor *c, const char *what, uint64_t max)
{
	uint64_t v = 0;
	int ret = owt_take_leb(c, &v);

	if (ret)
		owt_fail(&r->err, -OWT_E_INVALID, "%s: expected a number, found %s", what,
			 leb_fault(ret));
	else if (v > max)
		owt_fail(&r->err, -OWT_E_INVALID,
			 "%s: expected at most %" PRIu64 ", found %" PRIu64, what, max, v);
	return r->err.code ? 0 : v;
}

/* The lengths say where each column lies; together they must fill the payload. */
static void split_columns(struct owt_colr *r, struct owt_cursor *c, uint64_t column_cnt)
{
	uint64_t lens[OWT_COLUMNS_MAX], sum = 0;

	for (uint64_t i = 0; i < column_cnt && !r->err.code; i++) {
		lens[i] = head_leb(r, c, "column length", OWT_CHUNK_RAW_MAX);
		sum += lens[i];
	}
	if (!r->err.code && sum != owt_cursor_left(c))
		owt_fail(&r->err, -OWT_E_INVALID,
			 "columns: expected %zu bytes, found lengths of %" PRIu64 " in sum",
			 owt_cursor_left(c), sum);
	if (r->err.code)
		return;
	for (unsigned i = 0; i < r->def->column_cnt; i++) {
		r->col[i].pos = c->pos;
		r->col[i].end = c->pos += lens[i];
	}
}

int owt_colr_init(struct owt_colr *r, const struct owt_chunk_def *def, bool newer,
		  const uint8_t *bytes, size_t n)
{
	struct owt_cursor c = {.pos = bytes, .end = bytes + n};
	uint64_t column_cnt;

	*r = (struct owt_colr){.def = def};
	r->record_cnt = head_leb(r, &c, "record count", OWT_CHUNK_RAW_MAX);
	column_cnt = head_leb(r, &c, "column count", OWT_COLUMNS_MAX);
	if (!r->err.code &&
	    (column_cnt < def->column_cnt || (column_cnt > def->column_cnt && !newer)))
		owt_fail(&r->err, -OWT_E_INVALID, "column count: expected %u, found %" PRIu64,
			 def->column_cnt, column_cnt);
	split_columns(r, &c, column_cnt);
	if (!r->err.code && (!r->record_cnt || r->record_cnt > owt_cursor_left(&r->col[0])))
		owt_fail(&r->err, -OWT_E_INVALID, "record count: expected 1 to %zu, found %" PRIu64,
			 owt_cursor_left(&r->col[0]), r->record_cnt);
	return r->err.code;
}

int owt_colr_finish(struct owt_colr *r)
{
	for (unsigned i = 0; i < r->def->column_cnt; i++)
		if (owt_cursor_left(&r->col[i]))
			return owt_fail(&r->err, -OWT_E_INVALID,
					"column %u (%s): expected its end, found %zu more bytes", i,
					r->def->columns[i], owt_cursor_left(&r->col[i]));
	return 0;
}

static void column_fault(struct owt_colr *r, unsigned col, int code)
{
	owt_fail(&r->err, -OWT_E_INVALID, "column %u (%s): expected a value, found %s", col,
		 r->def->columns[col], leb_fault(code));
}

uint64_t owt_colr_leb(struct owt_colr *r, unsigned col)
{
	uint64_t v = 0;
	int ret;

	if (r->err.code)
		return 0;
	ret = owt_take_leb(&r->col[col], &v);
	if (ret)
		column_fault(r, col, ret);
	return v;
}

uint64_t owt_colr_max(struct owt_colr *r, unsigned col, uint64_t max)
{
	uint64_t v = owt_colr_leb(r, col);

	if (v <= max)
		return v;
	owt_fail(&r->err, -OWT_E_INVALID,
		 "column %u (%s): expected at most %" PRIu64 ", found %" PRIu64, col,
		 r->def->columns[col], max, v);
	return 0;
}

uint64_t owt_colr_fixed64(struct owt_colr *r, unsigned col)
{
	uint64_t v = 0;

	if (!r->err.code && owt_take_fixed64(&r->col[col], &v))
		column_fault(r, col, -ENODATA);
	return v;
}

const uint8_t *owt_colr_bytes(struct owt_colr *r, unsigned col, size_t n)
{
	const uint8_t *p = NULL;

	if (!r->err.code && owt_take_bytes(&r->col[col], n, &p))
		column_fault(r, col, -ENODATA);
	return p;
}
