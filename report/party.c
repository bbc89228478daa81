/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "escape.h"
#include "layout.h"
#include "party.h"

struct process {
	uint32_t comm, exe; /* string ids */
};

struct rep_parties {
	const struct rep_trace *trace;
	enum rep_by by;
	struct rep_pool *texts, *tgids;
	struct rep_table processes; /* struct process by id of the tgid - 1 */
	struct rep_budget *budget;
};

static const struct process *find_process(const struct rep_parties *p, uint32_t tgid)
{
	uint32_t id = rep_pool_find(p->tgids, &tgid, sizeof(tgid));

	return id ? rep_table_at(&p->processes, id - 1) : NULL;
}

static int add_process(struct rep_parties *p, uint32_t tgid, struct process process, bool override)
{
	uint32_t id;

	if (rep_pool_put(p->tgids, &tgid, sizeof(tgid), &id))
		return -ENOMEM;
	if (id > p->processes.cnt)
		return rep_table_push(p->budget, &p->processes, &process);
	if (override)
		memcpy(rep_table_at(&p->processes, id - 1), &process, sizeof(process));
	return 0;
}

static int add_processes(struct rep_parties *p)
{
	const struct rep_trace *t = p->trace;
	size_t i;
	int rc = 0;

	for (i = 1; rc == 0 && i < t->thread_cnt; i++)
		rc = add_process(p, t->threads[i].tgid, (struct process){ t->threads[i].comm, 0 },
				 t->threads[i].tid == t->threads[i].tgid);
	for (i = 1; rc == 0 && i < t->process_cnt; i++)
		rc = add_process(p, t->processes[i].tgid,
				 (struct process){ t->processes[i].comm, t->processes[i].exe },
				 true);
	return rc;
}

struct rep_parties *rep_parties_new(const struct rep_trace *trace, enum rep_by by,
				    struct rep_pool *texts, struct rep_budget *budget)
{
	struct rep_parties *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct rep_parties){ .trace = trace, .by = by, .texts = texts, .budget = budget };
	rep_table_init(&p->processes, sizeof(struct process));
	p->tgids = rep_pool_new(budget);
	if (p->tgids && add_processes(p) == 0)
		return p;
	rep_parties_free(p);
	return NULL;
}

static int put_comm(struct rep_pool *texts, const struct owt_string *comm, uint32_t *out_id)
{
	char marked[OWT_STRING_MAX + 1] = { REP_ESC_NAME_MARK };

	if (!comm->len || comm->bytes[0] != '[')
		return rep_pool_put(texts, comm->bytes, comm->len, out_id);
	memcpy(marked + 1, comm->bytes, comm->len);
	return rep_pool_put(texts, marked, comm->len + 1, out_id);
}

int rep_party_of(const struct rep_parties *p, uint32_t thread, struct rep_party *out)
{
	const struct owt_thread *t = &p->trace->threads[thread];
	const struct process *process = find_process(p, t->tgid);
	const struct owt_string *comm = &p->trace->strings[t->comm];
	struct rep_party party = { .tid = p->by == REP_BY_TID ? t->tid : 0,
				   .tgid = p->by == REP_BY_COMM ? 0 : t->tgid };

	if (p->by == REP_BY_TGID && process)
		comm = &p->trace->strings[process->comm];
	if (put_comm(p->texts, comm, &party.comm))
		return -ENOMEM;
	*out = party;
	return 0;
}

uint32_t rep_party_exe(const struct rep_parties *p, uint32_t tgid)
{
	const struct process *process = find_process(p, tgid);

	return process ? process->exe : 0;
}

int rep_party_label(struct rep_pool *texts, const struct rep_party *party, uint32_t *out_label)
{
	const char *comm;
	size_t len, size;
	char *label;
	int rc;

	comm = rep_pool_get(texts, party->comm, &len);
	if (len && !party->tid && !party->tgid) {
		*out_label = party->comm;
		return 0;
	}
	size = len + 40;
	label = malloc(size);
	if (!label)
		return -ENOMEM;
	memcpy(label, comm, len);
	if (len == 0)
		len = (size_t)snprintf(label, size, "[unnamed]");
	if (party->tid)
		len += (size_t)snprintf(label + len, size - len, "-%u/%u", party->tgid, party->tid);
	else if (party->tgid)
		len += (size_t)snprintf(label + len, size - len, "-%u", party->tgid);
	rc = rep_pool_put(texts, label, len, out_label);
	free(label);
	return rc;
}

void rep_parties_free(struct rep_parties *p)
{
	if (!p)
		return;
	rep_pool_free(p->tgids);
	rep_table_done(p->budget, &p->processes);
	free(p);
}
