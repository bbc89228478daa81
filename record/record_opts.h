/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_opts.h - the command line of offwake-record.
 */
#ifndef REC_RECORD_OPTS_H
#define REC_RECORD_OPTS_H

#include "base.h"
#include "cgroup.h"
#include "comms.h"

enum rec_mode { REC_RECORD, REC_CHECK, REC_EBPF };
enum rec_filter { REC_ALL, REC_TGIDS, REC_TIDS, REC_USER, REC_KERNEL, REC_COMMAND };
enum rec_stacks { REC_STACKS_BOTH, REC_STACKS_USER, REC_STACKS_KERNEL };

struct rec_opts {
	enum rec_mode mode;
	enum rec_filter filter;
	enum rec_stacks stacks;
	uint32_t *ids; /* tgids or tids; owned */
	size_t id_cnt;
	bool follow_children;	  /* of those, too; those of a command always */
	struct rec_comms comms;	  /* only threads named so */
	const char *cgroup_name;  /* only threads in it, as it was given; null: in any */
	struct rec_cgroup cgroup; /* which that is, once it has been looked for */
	char **command;		  /* null-terminated, inside argv; null without one */
	uint64_t duration_s;	  /* 0: until stopped, or until the command ends */
	uint64_t min_us, max_us;  /* inclusive; 0 and UINT64_MAX: no bound */
	bool by_state;		  /* only intervals that begin in one of the states below */
	uint64_t state;		  /* 32 bits of the kernel's task state; 0 is running */
	bool raw_wakers;	  /* name who was current, also in interrupts */
	uint64_t stack_storage;	  /* most distinct stacks; 0: as max_memory allows */
	uint64_t max_memory;	  /* bytes */
	uint64_t slice_us;
	uint64_t realtime; /* SCHED_FIFO priority; 0: none */
	const char *output; /* "-" is stdout */
	bool quiet, verbose;
	bool symbols;	   /* record the functions that stacks touched */
	bool all_kallsyms; /* all kernel symbols, not just those touched */
};

/*
 * Parses argv. On wrong usage, --help and --version it prints and exits (2, 0, 0), as argp
 * does. 0 or -ENOMEM.
 */
int rec_opts_parse(int argc, char **argv, struct rec_opts *out) OWT_MUST_CHECK;
void rec_opts_done(struct rec_opts *opts);

#endif
