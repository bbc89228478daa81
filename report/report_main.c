/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "emit.h"
#include "report_opts.h"

#define MEMORY_BYTES ((size_t)1 << 30)

/* Everything a report holds; all of it ends in stop(). */
struct report {
	struct rep_budget budget;
	struct rep_trace *trace;
	struct rep_pool *texts;
	struct rep_select *select;
	struct rep_symbols *symbols;
	struct rep_reconcile reconcile;
	struct rep_fold fold;
};

static void say(const struct rep_opts *opts, const char *text)
{
	fputs("offwake-report: ", stderr);
	rep_escape(stderr, REP_ESC_TEXT, opts->file, strlen(opts->file));
	fputs(": ", stderr);
	rep_escape(stderr, REP_ESC_TEXT, text, strlen(text));
	fputc('\n', stderr);
}

/* -1 after it was said why. */
static int open_input(const struct rep_opts *opts)
{
	struct stat st;
	int fd;

	if (strcmp(opts->file, "-") == 0)
		return STDIN_FILENO;
	fd = open(opts->file, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		say(opts, strerror(errno));
		return -1;
	}
	if (fstat(fd, &st) == 0 && (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))) {
		say(opts, S_ISDIR(st.st_mode) ? "is a directory" : "is a block device");
		close(fd);
		return -1;
	}
	return fd;
}

static int load(struct report *r, const struct rep_opts *opts)
{
	struct rep_trace_opts trace_opts = {.keep_slices = opts->keep_slices};
	int fd = open_input(opts), rc;
	struct owt_source source = {owt_fd_read, &fd};
	struct owt_err err = {0};

	if (fd < 0)
		return -1;
	rc = rep_trace_load(&source, &trace_opts, &r->budget, &r->trace, &err);
	if (rc)
		say(opts, err.text);
	if (fd != STDIN_FILENO)
		close(fd);
	return rc;
}

static int symbolize(struct report *r, const struct rep_opts *opts)
{
	r->texts = rep_pool_new(&r->budget);
	if (!r->texts || rep_reconcile_make(r->trace, &r->budget, &r->reconcile) ||
	    rep_select_new(r->trace, &opts->select, &r->budget, &r->select))
		return -ENOMEM;
	r->symbols = rep_symbols_new(r->trace, opts->symfs, r->texts, &r->budget);
	if (!r->symbols || rep_fold_want(r->trace, r->select, &opts->fold, r->symbols) ||
	    rep_symbols_resolve(r->symbols) || (opts->demangle && rep_symbols_demangle(r->symbols)))
		return -ENOMEM;
	return opts->fold.as_stored ? 0
				    : rep_fold_make(r->trace, r->select, &opts->fold, r->symbols,
						    r->texts, &r->budget, &r->fold);
}

static void emit_groups(const struct rep_emit *emit, const struct rep_view *view)
{
	size_t cnt = view->fold->group_cnt, i;

	emit->begin(stdout, view);
	if (view->fold->rest_cnt && emit->rest && !emit->largest_first)
		emit->rest(stdout, view);
	for (i = 0; i < cnt && !ferror(stdout); i++)
		emit->row(stdout, view, &view->fold->groups[emit->largest_first ? cnt - 1 - i : i]);
	if (view->fold->rest_cnt && emit->rest && emit->largest_first)
		emit->rest(stdout, view);
	if (emit->end)
		emit->end(stdout, view);
}

static void emit(const struct report *r, const struct rep_opts *opts)
{
	const struct rep_view view = {.trace = r->trace,
				      .symbols = r->symbols,
				      .texts = r->texts,
				      .select = r->select,
				      .select_opts = &opts->select,
				      .fold_opts = &opts->fold,
				      .reconcile = &r->reconcile,
				      .fold = &r->fold,
				      .stats = opts->stats};

	switch (opts->output) {
	case REP_OUT_TEXT:
		emit_groups(&rep_emit_text, &view);
		break;
	case REP_OUT_FOLDED:
		emit_groups(&rep_emit_folded, &view);
		break;
	case REP_OUT_SUMMARY:
		emit_groups(&rep_emit_summary, &view);
		break;
	case REP_OUT_JSON:
		emit_groups(&rep_emit_json, &view);
		break;
	case REP_OUT_DUMP:
		rep_emit_dump(stdout, &view);
		break;
	case REP_OUT_INFO:
		rep_emit_info(stdout, &view);
		break;
	}
}

/* A reader that went away needs no explanation. */
static int finish_stdout(void)
{
	int error;

	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout) && fclose(stdout) == 0)
		return 0;
	error = errno;
	if (error != EPIPE)
		fprintf(stderr, "offwake-report: cannot write the report: %s\n",
			error ? strerror(error) : "write error");
	return -1;
}

static void warn_of_lost_stacks(const struct rep_fold *fold)
{
	if (fold->lost_stacks)
		fprintf(stderr, "WARNING: %llu stack traces lost and could not be displayed.%s\n",
			(unsigned long long)fold->lost_stacks,
			fold->table_full ? " Consider increasing --stack-storage-size." : "");
}

static void stop(struct report *r)
{
	if (r->fold.budget)
		rep_fold_done(&r->fold);
	rep_reconcile_done(&r->budget, &r->reconcile);
	rep_symbols_free(r->symbols);
	rep_select_free(r->select);
	rep_pool_free(r->texts);
	rep_trace_free(r->trace);
}

static int run(struct report *r, const struct rep_opts *opts)
{
	char text[80];

	if (load(r, opts))
		return OWT_EXIT_FAILED;
	if (symbolize(r, opts)) {
		snprintf(text, sizeof(text), "the recording needs more than %zu MiB of memory",
			 r->budget.limit >> 20);
		say(opts, r->budget.hit ? text : "out of memory");
		return OWT_EXIT_FAILED;
	}
	emit(r, opts);
	if (finish_stdout())
		return OWT_EXIT_FAILED;
	warn_of_lost_stacks(&r->fold);
	return rep_trace_is_partial(r->trace) ? OWT_EXIT_PARTIAL : OWT_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct report report = {.budget = {.limit = MEMORY_BYTES}};
	struct rep_opts opts;
	int status;

	signal(SIGPIPE, SIG_IGN);
	rep_opts_parse(argc, argv, &opts);
	status = run(&report, &opts);
	stop(&report);
	return status;
}
