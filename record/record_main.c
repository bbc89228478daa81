/* SPDX-License-Identifier: Apache-2.0 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include "ebpf.h"
#include "hostcheck.h"
#include "hostinfo.h"
#include "ids.h"
#include "preflight.h"
#include "recording.h"
#include "sizes.h"

#define NAME	  "offwake-record: "
#define LATE_NS	  500000000ull
#define NS_PER_S  1e9
#define NS_PER_MS 1e6
#define MIB	  (1024.0 * 1024.0)

static void print_finding(FILE *out, const struct rec_finding *found)
{
	static const char *const verdicts[] = {
		[REC_CHECK_OK] = "ok",
		[REC_CHECK_LIMITED] = "limited",
		[REC_CHECK_MISSING] = "missing",
	};

	fprintf(out, "%-8s%s", verdicts[found->verdict], found->what);
	if (found->verdict != REC_CHECK_OK)
		fprintf(out, ": %s; cure: %s", found->loss, found->cure);
	fputc('\n', out);
}

/* libbpf explains a refusal in many lines. */
static OWT_PRINTF(2, 0) int print_warning(enum libbpf_print_level level, const char *format,
					  va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

/* What could not be had. */
static void say_limits(void)
{
	struct rec_finding found[REC_FINDINGS_MAX];
	struct rec_host host;
	size_t cnt;

	rec_host_look(&host);
	cnt = rec_host_judge(&host, found);
	for (size_t i = 0; i < cnt; i++) {
		if (found[i].verdict == REC_CHECK_OK)
			continue;
		fputs(NAME, stderr);
		print_finding(stderr, &found[i]);
	}
}

static void say_sleepers(const struct rec_session *session)
{
	struct rec_session_sleepers sleepers = rec_session_sleepers(session);

	if (sleepers.can_walk)
		fprintf(stderr,
			NAME "user stacks read of %" PRIu64 " threads off CPU already, in %.1f ms\n",
			sleepers.walked, (double)sleepers.took_ns / NS_PER_MS);
	else
		fputs(NAME "this kernel lends no memory of sleeping threads: those that are off "
			   "CPU already have no user stacks\n",
		      stderr);
}

static void say_attached(const struct rec_recording *r)
{
	struct rec_sizes sizes = rec_sizes_of(r->opts->max_memory, r->opts->stack_storage);

	fprintf(stderr,
		NAME "attached to sched_switch, sched_waking, task_newtask and "
		     "sched_process_exec (tp_btf); room for %" PRIu32 " rows a slice, %" PRIu32
		     " stacks, %" PRIu32 " KiB of stacks on their way\n",
		sizes.rows, sizes.stacks, sizes.ring_bytes / 1024);
	if (!r->events)
		fputs(NAME "mappings cannot be watched as they are made: processes that end soon "
			   "will have no names\n",
		      stderr);
}

static void say_memory(struct rec_recording *r)
{
	fprintf(stderr,
		NAME "memory: %.1f MiB for tables and rings, %.1f MiB for mapping events, %.1f MiB "
		     "for the recorder itself, which has %.1f MiB now\n",
		(double)r->memory.kernel_bytes / MIB, (double)r->memory.event_bytes / MIB,
		(double)r->memory.own_max / MIB, (double)rec_memory_own(&r->memory) / MIB);
}

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

static bool is_partial(const struct owt_losses *losses)
{
	for (unsigned i = 0; i < OWT_LOSS_CNT; i++)
		if (losses->count[i] && owt_loss_is_partial(i))
			return true;
	return false;
}

/* Where something was lost and the recorder could not run when it had to, there is a cure. */
static void say_delay(const struct rec_recording *r)
{
	uint64_t worst_ns = r->cost.drain.worst_ns;

	if (r->cost.poll.worst_ns > worst_ns)
		worst_ns = r->cost.poll.worst_ns;
	if (worst_ns >= LATE_NS && is_partial(&rec_drain_totals(r->drain)->losses))
		fprintf(stderr,
			NAME "this host let the recorder wait for %.1f s: where it has more to "
			     "run than CPUs, --realtime=1 loses less\n",
			(double)worst_ns / NS_PER_S);
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
	if (r->unnamed_cnt)
		fprintf(stderr, ", no time to read, or room for, the function names of %" PRIu64 " files",
			r->unnamed_cnt);
	fprintf(stderr, ", %.2f MiB in %s\n", (double)r->bytes / MIB, r->opts->output);
	say_delay(r);
	if (*r->why_nothing)
		fprintf(stderr, NAME "nothing was recorded: %s\n", r->why_nothing);
	if (r->output.is_ours)
		fprintf(stderr, NAME "before you share it: offwake-report --info %s\n",
			r->opts->output);
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
	struct owt_err err = { 0 };
	enum owt_exit code;
	int ret = rec_recording_prepare(&r, opts, &err);

	if (!ret)
		ret = rec_recording_begin(&r, &err);
	if (!ret && opts->verbose) {
		say_attached(&r);
		say_sleepers(r.session);
		say_memory(&r);
	}
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
		if (opts->verbose)
			fprintf(stderr, NAME "who was still off CPU: seen in %.1f ms\n",
				(double)rec_session_sleepers(r.session).open_ns / NS_PER_MS);
	}
	rec_recording_done(&r);
	return code;
}

static enum owt_exit print_ebpf(void)
{
	if (fputs(rec_ebpf_source(), stdout) != EOF && !fflush(stdout))
		return OWT_EXIT_OK;
	perror(NAME "cannot print the source");
	return OWT_EXIT_FAILED;
}

static enum owt_exit check_host(void)
{
	struct rec_finding found[REC_FINDINGS_MAX];
	enum owt_exit code = OWT_EXIT_OK;
	struct rec_host host;
	size_t cnt;

	rec_host_look(&host);
	rec_host_try(&host);
	cnt = rec_host_judge(&host, found);
	for (size_t i = 0; i < cnt; i++) {
		print_finding(stdout, &found[i]);
		if (found[i].verdict == REC_CHECK_MISSING)
			code = OWT_EXIT_FAILED;
	}
	return fflush(stdout) ? OWT_EXIT_FAILED : code;
}

/* A failure when none of the ids is there; of fewer it is said that they are not. */
static int check_ids(const struct rec_opts *opts, struct owt_err *err)
{
	char why[256];
	size_t missing = rec_ids_missing(opts, why, sizeof(why));

	if (missing && missing == opts->id_cnt)
		return owt_fail(err, -ESRCH, "%s", why);
	if (missing && !opts->quiet)
		fprintf(stderr, NAME "%s; recording %zu of %zu\n", why, opts->id_cnt - missing,
			opts->id_cnt);
	return 0;
}

static void say_cut_names(const struct rec_comms *comms)
{
	for (size_t i = 0; i < comms->cnt; i++)
		if (comms->items[i].is_cut)
			fprintf(stderr,
				NAME "the kernel keeps %d bytes of a thread's name: --comm takes "
				     "all that are named \"%s\"\n",
				REC_COMM_MAX, comms->items[i].name);
}

static enum owt_exit preflight_and_record(struct rec_opts *opts)
{
	struct owt_err err = { 0 };
	int ret;

	if (opts->verbose)
		say_limits();
	ret = rec_preflight(opts, &err);
	if (!ret)
		ret = check_ids(opts, &err);
	if (!ret && opts->cgroup_name)
		ret = rec_cgroup_find(opts->cgroup_name, &opts->cgroup, &err);
	if (!ret && !opts->quiet)
		say_cut_names(&opts->comms);
	if (!ret)
		return record(opts);
	fprintf(stderr, NAME "%s\n", err.text);
	return OWT_EXIT_FAILED;
}

int main(int argc, char **argv)
{
	struct rec_opts opts;
	enum owt_exit code;

	if (owt_keep_standard_fds())
		return OWT_EXIT_FAILED;
	if (rec_opts_parse(argc, argv, &opts))
		return OWT_EXIT_USAGE;
	/* tables that grow: moved without a copy, and nothing is left where they were */
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
	libbpf_set_print(opts.verbose ? print_warning : NULL);
	if (opts.mode == REC_EBPF)
		code = print_ebpf();
	else if (opts.mode == REC_CHECK)
		code = check_host();
	else
		code = preflight_and_record(&opts);
	rec_opts_done(&opts);
	return code;
}
