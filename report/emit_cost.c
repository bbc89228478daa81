/* SPDX-License-Identifier: Apache-2.0 */
#include "costs.h"
#include "emit.h"
#include "emit_json.h"

static void put_programs(FILE *out, const struct rep_cost *c)
{
	size_t i;

	fputs("cost, kernel programs: ", out);
	if (c->how)
		rep_escape(out, REP_ESC_TEXT, c->how->bytes, c->how->len);
	fprintf(out, ", %llu windows of %llu us in all\n", (unsigned long long)c->windows,
		(unsigned long long)c->window_us);
	for (i = 0; i < c->program_cnt; i++) {
		const struct rep_program *p = &c->programs[i];

		fputs("cost, program ", out);
		rep_escape(out, REP_ESC_TEXT, p->name.bytes, p->name.len);
		fprintf(out, ": %llu ns an event, %llu events measured\n",
			(unsigned long long)(p->runs ? p->run_ns / p->runs : 0),
			(unsigned long long)p->runs);
	}
}

void rep_emit_cost(FILE *out, const struct rep_view *view)
{
	const struct owt_end *end = &view->trace->end;
	uint64_t lasted_us = end->end_ns > end->start_ns ? (end->end_ns - end->start_ns) / 1000 : 0;
	struct rep_cost c;
	uint64_t cpu_us;

	if (!rep_cost_read(view->trace, &c))
		return;
	cpu_us = owt_sat_add(c.user_us, c.system_us);
	fprintf(out,
		"cost, recorder: %llu us of CPU (%llu user, %llu system), %llu of them before the "
		"recording began; ",
		(unsigned long long)cpu_us, (unsigned long long)c.user_us,
		(unsigned long long)c.system_us, (unsigned long long)c.start_us);
	rep_emit_share(out, 0, cpu_us > c.start_us ? cpu_us - c.start_us : 0, lasted_us);
	fprintf(out, " of one CPU since; %llu KiB at most\n",
		(unsigned long long)(c.peak_rss_bytes / 1024));
	fprintf(out,
		"cost, drain: %llu slices, in the file %llu us after they were due, %llu us at "
		"worst; the ring waited %llu us at worst\n",
		(unsigned long long)c.drains, (unsigned long long)c.drain_mean_us,
		(unsigned long long)c.drain_worst_us, (unsigned long long)c.poll_worst_us);
	put_programs(out, &c);
}

static void json_programs(struct rep_json *j, const struct rep_cost *c)
{
	size_t i;

	rep_json_open(j, "programs", '[');
	for (i = 0; i < c->program_cnt; i++) {
		const struct rep_program *p = &c->programs[i];

		rep_json_open(j, NULL, '{');
		rep_json_text(j, "name", p->name.bytes, p->name.len);
		rep_json_u64(j, "runs", p->runs);
		rep_json_u64(j, "run_ns", p->run_ns);
		rep_json_close(j, '}');
	}
	rep_json_close(j, ']');
}

void rep_emit_json_cost(struct rep_json *j, const struct rep_view *view)
{
	struct rep_cost c;

	if (!rep_cost_read(view->trace, &c))
		return;
	rep_json_line(j);
	rep_json_open(j, "cost", '{');
	rep_json_u64(j, "cpu_user_us", c.user_us);
	rep_json_u64(j, "cpu_system_us", c.system_us);
	rep_json_u64(j, "cpu_start_us", c.start_us);
	rep_json_u64(j, "peak_rss_bytes", c.peak_rss_bytes);
	rep_json_u64(j, "drains", c.drains);
	rep_json_u64(j, "drain_mean_us", c.drain_mean_us);
	rep_json_u64(j, "drain_worst_us", c.drain_worst_us);
	rep_json_u64(j, "poll_worst_us", c.poll_worst_us);
	if (c.how)
		rep_json_text(j, "measured", c.how->bytes, c.how->len);
	rep_json_u64(j, "windows", c.windows);
	rep_json_u64(j, "window_us", c.window_us);
	json_programs(j, &c);
	rep_json_close(j, '}');
}
