/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each allocation of a report fails once, and once it and all later ones: there is an error,
 * nothing leaks, and the budget is given back.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "failalloc.h"
#include "fold.h"
#include "sample.h"

struct run {
	struct rep_budget budget;
	struct rep_trace *trace;
	struct rep_pool *texts;
	struct rep_select *select;
	struct rep_symbols *symbols;
	struct rep_fold fold;
};

static const struct rep_select_opts everything = {.kinds = ~0u, .to_ns = UINT64_MAX};

static int load_and_fold(struct run *run, struct mem *file, const struct rep_fold_opts *opts)
{
	struct owt_source source = mem_source(file);
	struct rep_trace_opts trace_opts = {.keep_slices = opts->as_stored};
	struct owt_err err = {0};
	int rc = rep_trace_load(&source, &trace_opts, &run->budget, &run->trace, &err);

	if (rc)
		return rc;
	rc = rep_select_new(run->trace, &everything, &run->budget, &run->select);
	if (rc)
		return rc;
	run->texts = rep_pool_new(&run->budget);
	run->symbols = run->texts
			       ? rep_symbols_new(run->trace, "/nowhere", run->texts, &run->budget)
			       : NULL;
	if (!run->symbols)
		return -1;
	rc = rep_fold_want(run->trace, run->select, opts, run->symbols);
	if (rc == 0)
		rc = rep_symbols_resolve(run->symbols);
	if (rc == 0)
		rc = rep_symbols_demangle(run->symbols);
	return rc ? rc
		  : rep_fold_make(run->trace, run->select, opts, run->symbols, run->texts,
				  &run->budget, &run->fold);
}

static int report(struct mem *file, const struct rep_fold_opts *opts, size_t limit,
		  size_t *out_groups)
{
	struct run run = {.budget = {.limit = limit}};
	int rc = load_and_fold(&run, file, opts);

	*out_groups = run.fold.group_cnt;
	if (run.fold.budget)
		rep_fold_done(&run.fold);
	rep_symbols_free(run.symbols);
	rep_select_free(run.select);
	rep_pool_free(run.texts);
	rep_trace_free(run.trace);
	cr_assert_eq(run.budget.used, 0);
	return rc;
}

static struct sample make(void)
{
	const struct sample_opts opts = {
		.seed = 3, .slices = 3, .stacks = 20, .rows = 40, .ksyms = 30, .store = true};
	struct sample s;

	cr_assert_eq(sample_make(&s, &opts), 0);
	return s;
}

static void fail_each(const struct rep_fold_opts *opts, bool sticky)
{
	struct sample s = make();
	size_t groups, expected;
	unsigned nth;
	int rc;

	cr_assert_eq(report(&s.file, opts, 64 << 20, &expected), 0);
	cr_assert_gt(expected, 0);
	for (nth = 1; nth < 5000; nth++) {
		failalloc_arm(nth, sticky);
		rc = report(&s.file, opts, 64 << 20, &groups);
		if (!failalloc_disarm())
			break;
		cr_assert_lt(rc, 0, "allocation %u", nth);
	}
	cr_assert_lt(nth, 5000);
	cr_assert_gt(nth, 20);
	cr_expect_eq(rc, 0);
	cr_expect_eq(groups, expected);
	sample_free(&s);
}

#define WHOLE (REP_SHOW_USER | REP_SHOW_KERNEL)

static const struct rep_fold_opts text = {.shown = WHOLE, .min_us = 1};
static const struct rep_fold_opts folded = {
	.merge = REP_MERGE_LINES, .by = REP_BY_COMM, .shown = WHOLE, .delimited = true};
static const struct rep_fold_opts sites = {
	.merge = REP_MERGE_SITES, .by = REP_BY_TGID, .shown = WHOLE, .top = 1};
static const struct rep_fold_opts facts = {
	.merge = REP_MERGE_FACTS, .by = REP_BY_COMM, .shown = WHOLE};

Test(report_alloc, each_failure_ends_in_an_error_and_no_leak)
{
	fail_each(&text, false);
	fail_each(&folded, false);
	fail_each(&sites, false);
	fail_each(&facts, false);
}

Test(report_alloc, so_does_memory_that_stays_short)
{
	fail_each(&folded, true);
	fail_each(&sites, true);
}

Test(report_alloc, a_budget_that_is_too_small_is_an_error)
{
	struct sample s = make();
	size_t limit, groups;

	for (limit = 1000; report(&s.file, &text, limit, &groups); limit += 20000)
		cr_assert_lt(limit, 64 << 20);
	cr_expect_gt(limit, 20000);
	sample_free(&s);
}
