/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "costs.h"
#include "parse.h"

static bool begins_with(const struct owt_string *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s->len >= len && !memcmp(s->bytes, prefix, len);
}

bool rep_cost_is_key(const struct owt_string *key)
{
	return begins_with(key, "cost_") || begins_with(key, "reconcile_");
}

static uint64_t number(const struct owt_string *text)
{
	uint64_t value;

	return text && !owt_parse_u64(text->bytes, 0, UINT64_MAX, &value) ? value : 0;
}

uint64_t rep_trace_number(const struct rep_trace *t, const char *key)
{
	return number(rep_trace_meta(t, key));
}

static struct rep_program *program(struct rep_cost *c, const struct owt_string *key,
				   const char *prefix)
{
	size_t skip = strlen(prefix), i;
	struct owt_string name = { key->bytes + skip, key->len - skip };

	for (i = 0; i < c->program_cnt; i++)
		if (c->programs[i].name.len == name.len &&
		    !memcmp(c->programs[i].name.bytes, name.bytes, name.len))
			return &c->programs[i];
	if (c->program_cnt == REP_PROGRAMS_MAX)
		return NULL;
	c->programs[c->program_cnt].name = name;
	return &c->programs[c->program_cnt++];
}

static void take_programs(const struct rep_trace *t, struct rep_cost *c)
{
	static const char runs[] = "cost_bpf_runs.", run_ns[] = "cost_bpf_run_ns.";
	struct rep_program *p;
	size_t i;

	for (i = 0; i < t->meta_cnt; i++) {
		const struct owt_meta *m = &t->metas[i];

		if (begins_with(&m->key, runs) && (p = program(c, &m->key, runs)))
			p->runs = number(&m->value);
		else if (begins_with(&m->key, run_ns) && (p = program(c, &m->key, run_ns)))
			p->run_ns = number(&m->value);
	}
}

bool rep_cost_read(const struct rep_trace *t, struct rep_cost *out)
{
	if (!rep_trace_meta(t, "cost_cpu_user_us"))
		return false;
	*out = (struct rep_cost){
		.user_us = rep_trace_number(t, "cost_cpu_user_us"),
		.system_us = rep_trace_number(t, "cost_cpu_system_us"),
		.start_us = rep_trace_number(t, "cost_cpu_start_us"),
		.peak_rss_bytes = rep_trace_number(t, "cost_peak_rss_bytes"),
		.drains = rep_trace_number(t, "cost_drains"),
		.drain_mean_us = rep_trace_number(t, "cost_drain_mean_us"),
		.drain_worst_us = rep_trace_number(t, "cost_drain_worst_us"),
		.poll_worst_us = rep_trace_number(t, "cost_poll_worst_us"),
		.how = rep_trace_meta(t, "cost_bpf_stats"),
		.windows = rep_trace_number(t, "cost_bpf_windows"),
		.window_us = rep_trace_number(t, "cost_bpf_window_us"),
	};
	take_programs(t, out);
	return true;
}
