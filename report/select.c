/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and slices are looked at once each; a row then costs two table look-ups.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "escape.h"
#include "parse.h"
#include "select.h"

struct rep_select {
	const struct rep_trace *trace;
	const struct rep_select_opts *opts;
	struct rep_budget *budget;
	bool *threads, *slices; /* by thread id and by slice: asked for */
};

/* Takes the next item of a list; false at its end. */
static bool next_item(const char **list, const char **out_item, size_t *out_len)
{
	if (!*list)
		return false;
	*out_item = *list;
	*out_len = strcspn(*list, ",");
	*list = (*out_item)[*out_len] ? *out_item + *out_len + 1 : NULL;
	return true;
}

bool rep_is_id_list(const char *text)
{
	const char *item;
	uint64_t id;
	size_t len;

	while (next_item(&text, &item, &len)) {
		const char *p = item;

		if (owt_take_u64(&p, item + len, 10, &id) || p != item + len || id > UINT32_MAX)
			return false;
	}
	return true;
}

static bool lists_id(const char *list, uint32_t wanted)
{
	const char *item;
	uint64_t id;
	size_t len;

	while (next_item(&list, &item, &len))
		if (owt_take_u64(&item, item + len, 10, &id) == 0 && id == wanted)
			return true;
	return false;
}

static bool lists_comm(const char *list, const struct owt_string *comm)
{
	const char *item;
	size_t len;

	while (next_item(&list, &item, &len))
		if (rep_escape_is(item, len, comm->bytes, comm->len))
			return true;
	return false;
}

static bool wants_thread(const struct rep_select *s, const struct owt_thread *thread)
{
	const struct rep_select_opts *opts = s->opts;

	if (opts->tgids && !lists_id(opts->tgids, thread->tgid))
		return false;
	if (opts->tids && !lists_id(opts->tids, thread->tid))
		return false;
	return !opts->comms || lists_comm(opts->comms, &s->trace->strings[thread->comm]);
}

/* Since the start of the recording; what came before it counts as its start. */
static uint64_t since_start(const struct rep_trace *trace, uint64_t ns)
{
	return ns > trace->end.start_ns ? ns - trace->end.start_ns : 0;
}

static bool wants_slice(const struct rep_select *s, const struct owt_slice *slice)
{
	return since_start(s->trace, slice->start_ns) < s->opts->to_ns &&
	       since_start(s->trace, slice->end_ns) > s->opts->from_ns;
}

int rep_select_new(const struct rep_trace *trace, const struct rep_select_opts *opts,
		   struct rep_budget *budget, struct rep_select **out)
{
	struct rep_select *s = calloc(1, sizeof(*s));
	size_t i;

	if (!s)
		return -ENOMEM;
	s->trace = trace;
	s->opts = opts;
	s->budget = budget;
	s->threads = rep_alloc(budget, trace->thread_cnt, sizeof(bool));
	s->slices = rep_alloc(budget, trace->slice_cnt, sizeof(bool));
	if (!s->threads || !s->slices) {
		rep_select_free(s);
		return -ENOMEM;
	}
	for (i = 0; i < trace->thread_cnt; i++)
		s->threads[i] = wants_thread(s, &trace->threads[i]);
	for (i = 0; i < trace->slice_cnt; i++)
		s->slices[i] = (opts->from_ns == 0 && opts->to_ns == UINT64_MAX) ||
			       wants_slice(s, &trace->slices[i].slice);
	*out = s;
	return 0;
}

bool rep_select_row(const struct rep_select *s, const struct rep_row *row)
{
	return (s->opts->kinds & (1u << row->row.kind)) && s->threads[row->row.target] &&
	       s->slices[row->slice] && rep_states_match(&s->opts->states, row->row.state);
}

void rep_select_span(const struct rep_select *s, uint64_t *out_from_ns, uint64_t *out_to_ns)
{
	uint64_t from = UINT64_MAX, to = 0;
	size_t i;

	for (i = 0; i < s->trace->slice_cnt; i++) {
		const struct owt_slice *slice = &s->trace->slices[i].slice;

		if (!s->slices[i])
			continue;
		if (since_start(s->trace, slice->start_ns) < from)
			from = since_start(s->trace, slice->start_ns);
		if (since_start(s->trace, slice->end_ns) > to)
			to = since_start(s->trace, slice->end_ns);
	}
	*out_from_ns = from == UINT64_MAX ? 0 : from;
	*out_to_ns = to;
}

void rep_select_free(struct rep_select *s)
{
	if (!s)
		return;
	rep_release(s->budget, s->threads, s->trace->thread_cnt, sizeof(bool));
	rep_release(s->budget, s->slices, s->trace->slice_cnt, sizeof(bool));
	free(s);
}
