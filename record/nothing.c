/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A time off CPU is left out by the first filter that says so, and counted there. If all of
 * these counts are zero, the threads that were asked for were never off CPU, or not there.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "ids.h"
#include "nothing.h"

/* --- what is looked at ---------------------------------------------------------------------- */

static bool has_ids(const struct rec_opts *opts)
{
	return opts->filter == REC_TGIDS || opts->filter == REC_TIDS;
}

static void look_at_id(const struct rec_opts *opts, uint32_t id, struct rec_nothing *n)
{
	struct rec_task task;

	if (!rec_id_is_there(id, opts->filter) || rec_task_look(id, &task)) {
		n->ended++;
		return;
	}
	if (task.state == 'Z' || task.state == 'X')
		n->zombies++;
	n->tgid = task.tgid;
	if (opts->filter == REC_TIDS && opts->id_cnt == 1 && task.thread_cnt)
		n->sibling_cnt = task.thread_cnt - 1;
}

void rec_nothing_look(const struct rec_opts *opts, struct rec_nothing *n)
{
	if (opts->cgroup.dir)
		n->population = rec_cgroup_population(&opts->cgroup);
	n->id_cnt = has_ids(opts) ? opts->id_cnt : 0;
	for (size_t i = 0; i < n->id_cnt; i++)
		look_at_id(opts, opts->ids[i], n);
}

/* --- what is said --------------------------------------------------------------------------- */

struct text {
	char *buf;
	size_t size, len;
};

static OWT_PRINTF(2, 3) void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->buf + t->len, t->size - t->len, format, args);
	va_end(args);
	if (n > 0)
		t->len += (size_t)n < t->size - t->len ? (size_t)n : t->size - t->len - 1;
}

static const char *cgroup_reason(enum rec_population population)
{
	switch (population) {
	case REC_EMPTY:
		return " (there are no processes in it)";
	case REC_REMOVED:
		return " (it has been removed)";
	default:
		return " (no thread in it was off CPU)";
	}
}

static void add_count(struct text *t, const char *option, uint64_t cnt, const char *reason)
{
	if (cnt)
		add(t, "%s%s left out %" PRIu64 " times off CPU%s", t->len ? ", " : "", option, cnt,
		    reason);
}

/* The filter that a time off CPU meets last is the one that says why. */
static void say_left_out(const struct rec_nothing *n, struct text *t)
{
	bool by_limits = n->outside_limits, by_cgroup = n->other_cgroup && !by_limits,
	     by_name = n->other_name && !by_limits && !by_cgroup;

	add_count(t, "--state", n->other_state,
		  by_limits || by_cgroup || by_name ? "" : " (none began in a state of its mask)");
	add_count(t, "--comm", n->other_name,
		  by_name ? " (no such thread was: names are those of threads, ps -eLo comm)" : "");
	add_count(t, "--cgroup", n->other_cgroup, by_cgroup ? cgroup_reason(n->population) : "");
	add_count(t, "-m and -M", n->outside_limits, " (all were too short or too long)");
}

static void say_one_id(const struct rec_opts *opts, const struct rec_nothing *n, struct text *t)
{
	const char *what = opts->filter == REC_TGIDS ? "process" : "thread";

	if (n->ended)
		add(t, "%s %" PRIu32 " has ended, perhaps before the recording began", what,
		    opts->ids[0]);
	else if (n->zombies)
		add(t, "%s %" PRIu32 " has ended, and its parent has yet to wait for it (a zombie)",
		    what, opts->ids[0]);
	else
		add(t, "%s %" PRIu32 " was never seen off CPU: it ran all the time", what,
		    opts->ids[0]);
	if (n->sibling_cnt)
		add(t, "; it is one of %" PRIu32 " threads: -p %" PRIu32 " takes all of them",
		    n->sibling_cnt + 1, n->tgid);
}

static void say_ids(const struct rec_opts *opts, const struct rec_nothing *n, struct text *t)
{
	const char *what = opts->filter == REC_TGIDS ? "processes" : "threads";

	if (n->id_cnt == 1) {
		say_one_id(opts, n, t);
		return;
	}
	add(t, "of %" PRIu64 " %s, %" PRIu64 " ended and %" PRIu64 " were never seen off CPU",
	    n->id_cnt, what, n->ended + n->zombies, n->id_cnt - n->ended - n->zombies);
}

void rec_nothing_say(const struct rec_opts *opts, const struct rec_nothing *n, char *buf,
		     size_t size)
{
	struct text t = { buf, size, 0 };

	buf[0] = '\0';
	if (n->intervals || n->lost)
		return;
	say_left_out(n, &t);
	if (t.len)
		return;
	if (has_ids(opts))
		say_ids(opts, n, &t);
	else if (opts->filter == REC_COMMAND)
		add(&t, "the command was never seen off CPU: it ran all the time");
	else if (opts->filter == REC_KERNEL || opts->filter == REC_USER)
		add(&t, "no %s thread was off CPU", opts->filter == REC_KERNEL ? "kernel" : "user");
}
