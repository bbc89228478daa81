/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ids.h"
#include "parse.h"
#include "slurp.h"

#define STATUS_BYTES_MAX 65536u

/* The text behind a tag that begins a line; null without such a line. */
static const char *value_of(const char *status, const char *tag)
{
	const char *at = strstr(status, tag);

	return at ? at + strlen(tag) : NULL;
}

static bool take_number(const char *at, uint32_t *out)
{
	uint64_t number = 0;

	if (!at || owt_take_u64(&at, at + strlen(at), 10, &number) || number > UINT32_MAX)
		return false;
	*out = (uint32_t)number;
	return true;
}

/* The name stands first and is escaped, so that no newline in it begins a line. */
int rec_task_parse(const char *status, struct rec_task *out)
{
	const char *state = value_of(status, "\nState:\t"), *ids = value_of(status, "\nNSpid:\t");
	struct rec_task task = { .state = state ? *state : '?' };

	if (!take_number(value_of(status, "\nTgid:\t"), &task.tgid) || !task.tgid)
		return -EINVAL;
	if (!take_number(value_of(status, "\nThreads:\t"), &task.thread_cnt))
		task.thread_cnt = 0;
	/* outermost namespace first */
	for (const char *end = ids ? strchrnul(ids, '\n') : NULL; ids && ids < end;) {
		if (!take_number(ids, &task.inner_tid))
			break;
		ids += strcspn(ids, "\t\n") + 1;
	}
	*out = task;
	return 0;
}

int rec_task_look(uint32_t tid, struct rec_task *out)
{
	char path[64], *text;
	size_t len;
	int ret;

	/* it answers for every thread, though only processes are listed in /proc */
	snprintf(path, sizeof(path), "/proc/%u/status", tid);
	ret = rec_slurp(AT_FDCWD, path, STATUS_BYTES_MAX, &text, &len);
	if (ret)
		return ret;
	ret = rec_task_parse(text, out);
	free(text);
	return ret;
}

bool rec_id_is_there(uint32_t id, enum rec_filter filter)
{
	struct rec_task task;

	return !rec_task_look(id, &task) && (filter != REC_TGIDS || task.tgid == id);
}

/* The process that has this id in a PID namespace of its own; 0 when there is none, or many. */
static uint32_t find_inner(uint32_t id)
{
	DIR *proc = opendir("/proc");
	struct rec_task task;
	struct dirent *entry;
	uint32_t tid, found = 0, cnt = 0;

	while (proc && (entry = readdir(proc)) != NULL) {
		if (!take_number(entry->d_name, &tid) || rec_task_look(tid, &task) ||
		    task.inner_tid != id || tid == id)
			continue;
		found = tid;
		cnt++;
	}
	if (proc)
		closedir(proc);
	return cnt == 1 ? found : 0;
}

static void describe(uint32_t id, enum rec_filter filter, char *buf, size_t size)
{
	const char *what = filter == REC_TGIDS ? "process" : "thread";
	struct rec_task task;
	uint32_t outer;

	if (filter == REC_TGIDS && !rec_task_look(id, &task)) {
		snprintf(buf, size,
			 "there is no process %u, it is a thread of process %u: give -p %u or -t "
			 "%u",
			 id, task.tgid, task.tgid, id);
		return;
	}
	outer = find_inner(id);
	if (outer)
		snprintf(buf, size,
			 "there is no %s %u: in a container one has this id, which is %u on the "
			 "host",
			 what, id, outer);
	else
		snprintf(buf, size, "there is no %s %u: look for it with \"ps -eL\"", what, id);
}

size_t rec_ids_missing(const struct rec_opts *opts, char *buf, size_t size)
{
	size_t missing = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < opts->id_cnt; i++) {
		if (rec_id_is_there(opts->ids[i], opts->filter))
			continue;
		if (!missing++)
			describe(opts->ids[i], opts->filter, buf, size);
	}
	return missing;
}
