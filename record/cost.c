/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cost.h"
#include "hostinfo.h"
#include "layout.h"
#include "parse.h"
#include "slurp.h"

static uint64_t to_us(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec;
}

struct cpu_time {
	uint64_t user_us, system_us;
};

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static struct cpu_time cpu_time(const struct rusage *command)
{
	struct rusage self, children;
	struct cpu_time t = { 0 };

	if (getrusage(RUSAGE_SELF, &self) || getrusage(RUSAGE_CHILDREN, &children))
		return t;
	t.user_us = to_us(&children.ru_utime);
	t.system_us = to_us(&children.ru_stime);
	if (command) {
		t.user_us = less(t.user_us, to_us(&command->ru_utime));
		t.system_us = less(t.system_us, to_us(&command->ru_stime));
	}
	t.user_us += to_us(&self.ru_utime);
	t.system_us += to_us(&self.ru_stime);
	return t;
}

/* Of this program alone: what getrusage() says begins with whoever executed it. */
static uint64_t peak_rss_bytes(void)
{
	static const char key[] = "\nVmHWM:";
	const char *pos, *end;
	uint64_t kib = 0;
	char *text;
	size_t len;

	if (rec_slurp(AT_FDCWD, "/proc/self/status", 65536, &text, &len))
		return 0;
	end = text + len;
	pos = strstr(text, key);
	if (pos) {
		pos += strlen(key);
		pos += strspn(pos, " \t");
		if (owt_take_u64(&pos, end, 10, &kib))
			kib = 0;
	}
	free(text);
	return kib * 1024;
}

static void add_delay(struct rec_delay *d, uint64_t ns)
{
	d->cnt++;
	d->sum_ns += ns;
	if (ns > d->worst_ns)
		d->worst_ns = ns;
}

void rec_cost_begin(struct rec_cost *c, struct rec_statshelper *helper,
		    const struct rec_session *s, uint64_t now_ns)
{
	struct cpu_time t = cpu_time(NULL);

	*c = (struct rec_cost){ .start_us = t.user_us + t.system_us, .polled_ns = now_ns };
	rec_bpfstats_begin(&c->bpf, helper, s, now_ns);
}

void rec_cost_polled(struct rec_cost *c, uint64_t now_ns)
{
	if (c->polled_ns)
		add_delay(&c->poll, less(now_ns, c->polled_ns));
	c->polled_ns = now_ns;
}

void rec_cost_drained(struct rec_cost *c, uint64_t due_ns, uint64_t now_ns)
{
	add_delay(&c->drain, less(now_ns, due_ns));
}

static int write_program(const struct rec_program *p, struct owt_writer *w, struct owt_err *err)
{
	char key[OWT_META_KEY_MAX + 1];
	int ret;

	snprintf(key, sizeof(key), "cost_bpf_runs.%s", p->name);
	ret = rec_meta_u64(w, key, p->runs, err);
	snprintf(key, sizeof(key), "cost_bpf_run_ns.%s", p->name);
	return ret ? ret : rec_meta_u64(w, key, p->run_ns, err);
}

static int write_bpf(const struct rec_bpfstats *b, struct owt_writer *w, struct owt_err *err)
{
	static const char *const how[] = {
		[REC_STATS_SAMPLED] = "sampled",
		[REC_STATS_ALWAYS] = "always on",
		[REC_STATS_REFUSED] = "not permitted",
	};
	int ret = owt_writer_meta(w, "cost_bpf_stats", how[b->how], err);

	if (!ret)
		ret = rec_meta_u64(w, "cost_bpf_windows", b->windows, err);
	if (!ret)
		ret = rec_meta_u64(w, "cost_bpf_window_us", b->window_ns / 1000, err);
	for (size_t i = 0; i < REC_PROGRAMS_MAX && !ret; i++)
		if (b->sums[i].name)
			ret = write_program(&b->sums[i], w, err);
	return ret;
}

int rec_cost_write(const struct rec_cost *c, struct owt_writer *w, const struct rusage *command,
		   struct owt_err *err)
{
	struct cpu_time t = cpu_time(command);
	const struct {
		const char *key;
		uint64_t value;
	} facts[] = {
		{ "cost_cpu_user_us", t.user_us },
		{ "cost_cpu_system_us", t.system_us },
		{ "cost_cpu_start_us", c->start_us },
		{ "cost_peak_rss_bytes", peak_rss_bytes() },
		{ "cost_drains", c->drain.cnt },
		{ "cost_drain_mean_us",
		  c->drain.cnt ? c->drain.sum_ns / c->drain.cnt / 1000 : 0 },
		{ "cost_drain_worst_us", c->drain.worst_ns / 1000 },
		{ "cost_poll_worst_us", c->poll.worst_ns / 1000 },
	};
	int ret = 0;

	for (size_t i = 0; i < OWT_ARRAY_SIZE(facts) && !ret; i++)
		ret = rec_meta_u64(w, facts[i].key, facts[i].value, err);
	return ret ? ret : write_bpf(&c->bpf, w, err);
}
