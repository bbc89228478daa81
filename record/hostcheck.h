/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostcheck.h - --check: what recording needs, what this host has of it, what is lost without,
 * and the cure.
 */
#ifndef REC_HOSTCHECK_H
#define REC_HOSTCHECK_H

#include "base.h"

enum rec_verdict {
	REC_CHECK_OK,
	REC_CHECK_LIMITED, /* recording works, with less in it */
	REC_CHECK_MISSING, /* no recording */
};

struct rec_finding {
	enum rec_verdict verdict;
	const char *loss, *cure; /* null when ok */
	char what[160];
};

/* What is known of a host. Numbers of files that cannot be read are -1. */
struct rec_host {
	char release[65];
	char lockdown[64];			  /* the file's text; "" when the kernel has none */
	char btf_fault[160], programs_fault[512]; /* "": none */
	bool has_waking, has_switch, has_new_task, has_exec, has_task_storage, has_ring;
	bool lends_memory; /* of a thread to a program, while it sleeps */
	bool has_kallsyms, knows_interrupts;
	bool is_initial_pidns, is_initial_userns;
	uint64_t caps; /* effective */
	int64_t kptr_restrict, perf_paranoid, max_stack, jit;
	uint64_t memlock_bytes; /* UINT64_MAX: no limit */
};

#define REC_FINDINGS_MAX 24

/* Looks at this host. What only a trial can tell is taken to be there. */
void rec_host_look(struct rec_host *out);

/* Reads the kernel's symbols and loads the programs on trial; removes them. */
void rec_host_try(struct rec_host *host);

/* Judges it. Returns how many findings were written, at most REC_FINDINGS_MAX. */
size_t rec_host_judge(const struct rec_host *host, struct rec_finding *out);

#endif
