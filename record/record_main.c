/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include "hostinfo.h"
#include "preflight.h"
#include "recording.h"

#define NAME	 "offwake-record: "
#define NS_PER_S 1e9
#define MIB	 (1024.0 * 1024.0)

static void say_start(const struct rec_recording *r)
{
	const struct rec_opts *opts = r->opts;

	fprintf(stderr, NAME "recording to %s", r->output.path);
	if (opts->command)
		fprintf(stderr, " until \"%s\" ends", opts->command[0]);
	else if (opts->duration_s)
		fprintf(stderr, " for %" PRIu64 " s; Ctrl-C ends it sooner", opts->duration_s);
	else
		fprintf(stderr, "; Ctrl-C ends it");
	fputc('\n', stderr);
}

static void say_losses(const struct owt_losses *losses)
{
	bool any = false;

	for (unsigned i = 0; i < OWT_LOSS_CNT; i++) {
		if (!losses->count[i])
			continue;
		fprintf(stderr, "%s%" PRIu64 " %s", any ? ", " : "", losses->count[i],
			owt_loss_text(i));
		any = true;
	}
	if (!any)
		fputs("nothing lost", stderr);
}

static void say_end(const struct rec_recording *r)
{
	const struct rec_totals *t = rec_drain_totals(r->drain);

	fprintf(stderr,
		NAME "%.3f s, %" PRIu64 " intervals and %" PRIu64 " open in %" PRIu64
		     " rows, %" PRIu64 " stacks, ",
		(double)(r->stop_ns - r->start_ns) / NS_PER_S, t->intervals, t->open, r->rows,
		r->stacks);
	say_losses(&t->losses);
	fprintf(stderr, ", %.2f MiB in %s\n", (double)r->bytes / MIB, r->opts->output);
}

static void say_command(const struct rec_recording *r)
{
	if (!r->command.is_over)
		return;
	if (WIFSIGNALED(r->command.status))
		fprintf(stderr, NAME "the command was killed by signal %d (%s)\n",
			WTERMSIG(r->command.status), strsignal(WTERMSIG(r->command.status)));
	else if (WEXITSTATUS(r->command.status))
		fprintf(stderr, NAME "the command exited with status %d\n",
			WEXITSTATUS(r->command.status));
}

static bool is_partial(const struct owt_losses *losses)
{
	for (unsigned i = 0; i < OWT_LOSS_CNT; i++)
		if (losses->count[i] && owt_loss_is_partial(i))
			return true;
	return false;
}

static enum owt_exit fail(const struct rec_recording *r, const struct owt_err *err)
{
	const char *cure = rec_output_cure(err->code);

	if (cure)
		fprintf(stderr, NAME "%s: %s: %s\n", r->opts->output, err->text, cure);
	else
		fprintf(stderr, NAME "%s\n", *err->text ? err->text : owt_strerror(err->code));
	if (!r->slices)
		return err->code == -OWT_E_USAGE ? OWT_EXIT_USAGE : OWT_EXIT_FAILED;
	fprintf(stderr, NAME "%s holds what was recorded until then\n", r->opts->output);
	return OWT_EXIT_PARTIAL;
}

static enum owt_exit record(const struct rec_opts *opts)
{
	struct rec_recording r;
	struct owt_err err = {0};
	enum owt_exit code;
	int ret = rec_recording_prepare(&r, opts, &err);

	if (!ret)
		ret = rec_recording_begin(&r, &err);
	if (!ret && !opts->quiet)
		say_start(&r);
	if (!ret)
		ret = rec_recording_run(&r, &err);
	if (!ret)
		ret = rec_recording_finish(&r, &err);
	if (ret) {
		code = fail(&r, &err);
	} else {
		code = is_partial(&rec_drain_totals(r.drain)->losses) ? OWT_EXIT_PARTIAL
								      : OWT_EXIT_OK;
		if (!opts->quiet) {
			say_command(&r);
			say_end(&r);
		}
	}
	rec_recording_done(&r);
	return code;
}

int main(int argc, char **argv)
{
	struct rec_opts opts;
	struct owt_err err = {0};
	enum owt_exit code = OWT_EXIT_FAILED;

	if (owt_keep_standard_fds())
		return OWT_EXIT_FAILED;
	if (rec_opts_parse(argc, argv, &opts))
		return OWT_EXIT_USAGE;
	if (rec_preflight(&opts, &err))
		fprintf(stderr, NAME "%s\n", err.text);
	else
		code = record(&opts);
	rec_opts_done(&opts);
	return code;
}
