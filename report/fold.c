/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row becomes a group without times; equal groups have equal bytes and so one id in a
 * pool of keys. For folded lines and for sites the key is the line alone, a sequence of ids.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "describe.h"
#include "order.h"
#include "sites.h"

struct fold_job {
	struct rep_describe describe;
	const struct rep_select *select;
	struct rep_budget *budget;
};

/* Groups in the making: one for each key. */
struct merge {
	enum rep_merge by;
	struct rep_pool *keys;
	struct rep_table groups;
};

int rep_fold_want(const struct rep_trace *trace, const struct rep_select *select,
		  const struct rep_fold_opts *opts, struct rep_symbols *symbols)
{
	const struct rep_describe d = { .trace = trace, .opts = opts };
	unsigned which;
	size_t i;
	int rc = 0;

	for (i = 0; i < trace->row_cnt; i++) {
		if (!rep_select_row(select, &trace->rows[i]))
			continue;
		for (which = 0; which < REP_STACK_CNT; which++) {
			struct rep_stack_ref ref = rep_stack_of(&d, &trace->rows[i].row, which);

			rc = rep_symbols_want(symbols, ref.space, ref.image, ref.stack);
			if (rc)
				return rc;
		}
	}
	return 0;
}

void rep_sums_add(struct rep_sums *into, const struct rep_sums *from)
{
	bool is_first = into->count == 0;

	into->wait_ns = owt_sat_add(into->wait_ns, from->wait_ns);
	into->runq_ns = owt_sat_add(into->runq_ns, from->runq_ns);
	into->total_ns = owt_sat_add(into->wait_ns, into->runq_ns);
	into->count = owt_sat_add(into->count, from->count);
	into->overflow |= from->overflow || into->total_ns == UINT64_MAX;
	if (is_first || from->max_ns > into->max_ns ||
	    (from->max_ns == into->max_ns && from->max_end_ns < into->max_end_ns)) {
		into->max_ns = from->max_ns;
		into->max_end_ns = from->max_end_ns;
		into->interrupted = from->interrupted;
	}
}

static uint64_t time_of(const struct rep_sums *sums, enum rep_value value)
{
	if (value == REP_VALUE_WAIT)
		return sums->wait_ns;
	return value == REP_VALUE_RUNQ ? sums->runq_ns : sums->total_ns;
}

uint64_t rep_sums_value(const struct rep_sums *sums, enum rep_value value)
{
	return value == REP_VALUE_COUNT ? sums->count : time_of(sums, value) / 1000;
}

uint64_t rep_sums_mean_us(const struct rep_sums *sums, enum rep_value value)
{
	return sums->count ? time_of(sums, value) / sums->count / 1000 : 0;
}

static int sums_of(struct fold_job *job, const struct owt_row *row, struct rep_sums *out)
{
	*out = (struct rep_sums){ .total_ns = owt_sat_add(row->wait_ns, row->runq_ns),
				  .wait_ns = row->wait_ns,
				  .runq_ns = row->runq_ns,
				  .count = row->count,
				  .max_ns = row->max_ns,
				  .max_end_ns = row->max_end_ns,
				  .overflow = row->flags & OWT_ROW_OVERFLOW };
	return row->interrupted && rep_has_waker(row)
		       ? rep_party_of(job->describe.parties, row->interrupted, &out->interrupted)
		       : 0;
}

/* The group that a row belongs to; a new one has no sums yet. */
static int find_group(struct fold_job *job, struct merge *merge, const struct owt_row *row,
		      struct rep_group **out)
{
	struct rep_group group;
	uint32_t id;
	int rc = rep_describe(&job->describe, merge->by, row, &group);

	if (rc == 0 && group.line)
		rc = rep_pool_put(merge->keys, &group.line, sizeof(group.line), &id);
	else if (rc == 0)
		rc = rep_pool_put(merge->keys, &group, offsetof(struct rep_group, line), &id);
	if (rc == 0 && id > merge->groups.cnt)
		rc = rep_table_push(job->budget, &merge->groups, &group);
	if (rc == 0)
		*out = rep_table_at(&merge->groups, id - 1);
	return rc;
}

/* Rows are left out where least has a group for them that is below the minimum. */
static int merge_rows(struct fold_job *job, struct merge *merge, struct merge *least)
{
	const struct rep_trace *trace = job->describe.trace;
	struct rep_group *group;
	struct rep_sums sums;
	size_t i;
	int rc;

	for (i = 0; i < trace->row_cnt; i++) {
		const struct owt_row *row = &trace->rows[i].row;

		if (!rep_select_row(job->select, &trace->rows[i]))
			continue;
		if (least) {
			rc = find_group(job, least, row, &group);
			if (rc)
				return rc;
			if (group->sums.total_ns / 1000 < job->describe.opts->min_us)
				continue;
		}
		rc = find_group(job, merge, row, &group);
		if (rc == 0)
			rc = sums_of(job, row, &sums);
		if (rc)
			return rc;
		rep_sums_add(&group->sums, &sums);
	}
	return 0;
}

static int merge_init(struct merge *merge, enum rep_merge by, struct rep_budget *budget)
{
	merge->by = by;
	rep_table_init(&merge->groups, sizeof(struct rep_group));
	merge->keys = rep_pool_new(budget);
	return merge->keys ? 0 : -ENOMEM;
}

static void merge_done(struct merge *merge, struct rep_budget *budget)
{
	rep_pool_free(merge->keys);
	rep_table_done(budget, &merge->groups);
}

/*
 * All rows that count. What is below the minimum is decided on groups merged by names, so
 * that every output leaves out the same rows.
 */
static int merge_all(struct fold_job *job, struct rep_table *out)
{
	struct merge merge, least;
	int rc = merge_init(&merge, job->describe.opts->merge, job->budget);

	if (rc == 0 && job->describe.opts->min_us) {
		rc = merge_init(&least, REP_MERGE_NAMES, job->budget);
		if (rc == 0)
			rc = merge_rows(job, &least, NULL);
		if (rc == 0)
			rc = merge_rows(job, &merge, &least);
		merge_done(&least, job->budget);
	} else if (rc == 0) {
		rc = merge_rows(job, &merge, NULL);
	}
	if (rc) {
		merge_done(&merge, job->budget);
		return rc;
	}
	rep_pool_free(merge.keys);
	*out = merge.groups;
	return 0;
}

static int finish_groups(struct fold_job *job, struct rep_table *groups)
{
	const struct rep_fold_opts *opts = job->describe.opts;

	rep_order(groups, opts->merge, opts->value, job->describe.texts);
	if (opts->merge != REP_MERGE_SITES)
		return 0;
	if (rep_sites_collapse(groups, job->describe.texts, job->budget))
		return -ENOMEM;
	rep_order(groups, opts->merge, opts->value, job->describe.texts);
	return 0;
}

/* Keeps the last ones, which are the largest. */
static void cut_off_rest(struct rep_fold *fold, const struct rep_fold_opts *opts)
{
	size_t i, keep = fold->table.cnt;

	if (opts->top && opts->top < keep)
		keep = (size_t)opts->top;
	fold->rest_cnt = fold->table.cnt - keep;
	fold->group_cnt = keep;
	fold->groups = (const struct rep_group *)fold->table.items + fold->rest_cnt;
	for (i = 0; i < fold->table.cnt; i++) {
		const struct rep_group *group = rep_table_at(&fold->table, i);

		rep_sums_add(i < fold->rest_cnt ? &fold->rest : &fold->all, &group->sums);
	}
	rep_sums_add(&fold->all, &fold->rest);
	fold->rest_value = rep_sums_value(&fold->rest, opts->value);
	fold->all_value = rep_sums_value(&fold->all, opts->value);
}

static void count_lost(struct rep_fold *fold)
{
	unsigned which;
	size_t i;

	for (i = 0; i < fold->group_cnt; i++)
		for (which = 0; which < REP_STACK_CNT; which++) {
			uint32_t stack = fold->groups[i].stacks[which];

			if (!(stack & REP_LOST))
				continue;
			fold->lost_stacks++;
			fold->table_full |= REP_LOST_STATUS(stack) == OWT_STACK_TABLE_FULL;
		}
}

int rep_fold_make(const struct rep_trace *trace, const struct rep_select *select,
		  const struct rep_fold_opts *opts, const struct rep_symbols *symbols,
		  struct rep_pool *texts, struct rep_budget *budget, struct rep_fold *out)
{
	struct rep_fold fold = { .budget = budget };
	struct rep_parties *parties = rep_parties_new(trace, opts->by, texts, budget);
	struct fold_job job = { .describe = { trace, opts, symbols, parties, texts },
				.select = select,
				.budget = budget };
	int rc = parties ? merge_all(&job, &fold.table) : -ENOMEM;

	if (rc == 0)
		rc = finish_groups(&job, &fold.table);
	rep_parties_free(parties);
	if (rc) {
		rep_table_done(budget, &fold.table);
		return rc;
	}
	cut_off_rest(&fold, opts);
	count_lost(&fold);
	*out = fold;
	return 0;
}

void rep_fold_done(struct rep_fold *fold)
{
	rep_table_done(fold->budget, &fold->table);
}
