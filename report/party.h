/* SPDX-License-Identifier: Apache-2.0 */
/*
 * party.h - who a thread is when rows are grouped: itself, its process, or its name.
 */
#ifndef REP_PARTY_H
#define REP_PARTY_H

#include "pool.h"
#include "trace.h"

enum rep_by { REP_BY_TID, REP_BY_TGID, REP_BY_COMM };

struct rep_party {
	uint32_t tid;  /* 0 unless by tid */
	uint32_t tgid; /* 0 when by comm */
	uint32_t comm; /* text id */
};

struct rep_parties;

/* Trace, texts and budget must outlive it. Null when memory is short. */
struct rep_parties *rep_parties_new(const struct rep_trace *trace, enum rep_by by,
				    struct rep_pool *texts, struct rep_budget *budget);

/*
 * The party of a thread id. By tgid its name is that of the process, the last one recorded,
 * else of its first thread. 0 or -ENOMEM.
 */
int rep_party_of(const struct rep_parties *p, uint32_t thread,
		 struct rep_party *out) OWT_MUST_CHECK;

/* The string id of the path of a process's executable, the last one recorded; 0 unknown. */
uint32_t rep_party_exe(const struct rep_parties *p, uint32_t tgid);

/* The text id of "name", "name-TGID" or "name-TGID/TID", whatever is known. 0 or -ENOMEM. */
int rep_party_label(struct rep_pool *texts, const struct rep_party *party,
		    uint32_t *out_label) OWT_MUST_CHECK;

/* Accepts null. */
void rep_parties_free(struct rep_parties *p);

#endif
