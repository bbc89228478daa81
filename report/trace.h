/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace.h - a whole recording in memory, indexed by its ids.
 */
#ifndef REP_TRACE_H
#define REP_TRACE_H

#include "mem.h"
#include "reader.h"

/* A row as it stands in its slice, or summed over all slices where only its times differ. */
struct rep_row {
	struct owt_row row;
	uint32_t slice; /* from 0; of the first one when summed */
};

struct rep_slice {
	struct owt_slice slice;
	uint64_t row_cnt;
};

/*
 * Tables are indexed by id; item 0 stands for absent (an empty string, a stack without
 * frames). Everything belongs to the trace and is read only.
 */
struct rep_trace {
	const struct owt_meta *metas;
	const struct owt_string *strings;
	const struct owt_node *nodes;
	const struct owt_stack *stacks;
	const struct owt_thread *threads;
	const struct owt_module *modules;
	const struct owt_process *processes;
	const struct owt_mapping *mappings; /* in the order of the file, from 0 */
	const struct owt_ksym *ksyms;	    /* ascending, from 0 */
	const struct owt_symbol *symbols;   /* in the order of the file, from 0 */
	const struct owt_account *accounts; /* in the order of the file, from 0 */
	const struct rep_row *rows;	    /* from 0 */
	const struct rep_slice *slices;	    /* from 0 */
	size_t meta_cnt, string_cnt, node_cnt, stack_cnt, thread_cnt, module_cnt, process_cnt,
		mapping_cnt, ksym_cnt, symbol_cnt, account_cnt, row_cnt, slice_cnt;
	uint64_t stored_rows; /* before summing over slices */
	struct owt_end end;   /* put together from the slices if END is missing */
	struct owt_file_info info;
	struct rep_trace_store *store;
};

struct rep_trace_opts {
	bool keep_slices; /* do not sum rows over slices */
};

/* Reads it all. The caller ends *out_trace with rep_trace_free(). */
int rep_trace_load(const struct owt_source *source, const struct rep_trace_opts *opts,
		   struct rep_budget *budget, struct rep_trace **out_trace,
		   struct owt_err *err) OWT_MUST_CHECK;

/* The value of a metadata key, the last one given; null when there is none. */
const struct owt_string *rep_trace_meta(const struct rep_trace *t, const char *key);

/* True when rows are missing: cut short, or a loss that costs intervals. */
bool rep_trace_is_partial(const struct rep_trace *t);

/* Accepts null. */
void rep_trace_free(struct rep_trace *t);

#endif
