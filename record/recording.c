/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "caps.h"
#include "clock.h"
#include "hostinfo.h"
#include "nothing.h"
#include "preflight.h"
#include "recording.h"
#include "sizes.h"

#define POLL_NS	 50000000ull /* the ring holds far more stacks than come in this time */
#define NS_PER_S 1000000000ull
/* Of --max-memory: a sixteenth for events that wait, a sixteenth for mappings of 64 bytes. */
#define PENDING_SHARE 16
#define RANGE_SHARE   (16 * 64)

/* What was ignored before us, by nohup for one, stays so. */
static void add_unless_ignored(sigset_t *set, int number)
{
	struct sigaction now;

	if (sigaction(number, NULL, &now) || now.sa_handler != SIG_IGN)
		sigaddset(set, number);
}

/* Signals arrive through a descriptor, read between two drains. */
static int open_signals(struct rec_recording *r, sigset_t *out_before, struct owt_err *err)
{
	sigset_t wanted;

	sigemptyset(&wanted);
	add_unless_ignored(&wanted, SIGINT);
	add_unless_ignored(&wanted, SIGTERM);
	add_unless_ignored(&wanted, SIGHUP);
	sigaddset(&wanted, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &wanted, out_before))
		return owt_fail(err, -errno, "sigprocmask: %s", strerror(errno));
	r->signal_fd = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (r->signal_fd < 0)
		return owt_fail(err, -errno, "signalfd: %s", strerror(errno));
	/* a full file size limit or a closed pipe is an error of write(), not our death */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	return 0;
}

static int open_writer(struct rec_recording *r, struct owt_err *err)
{
	struct owt_writer_opts opts = { .arch = rec_host_arch() };
	struct owt_sink sink = { rec_output_write, &r->output };
	int ret;

	if (getrandom(opts.file_id, sizeof(opts.file_id), 0) != sizeof(opts.file_id))
		return owt_fail(err, -errno, "getrandom: %s", strerror(errno));
	ret = owt_writer_open(&r->writer, &opts, &sink, err);
	if (!ret && (rec_modules_new(r->writer, &r->modules) ||
		     rec_procs_new(r->writer, r->modules, &r->procs)))
		ret = owt_fail(err, -ENOMEM, "out of memory");
	if (ret)
		return ret;
	if (r->opts->symbols)
		rec_modules_name_early(r->modules, r->namer);
	/* without them names of short-lived processes are missing, and no more */
	if (rec_mapevents_open(
		    rec_event_bytes(r->opts->max_memory, (size_t)sysconf(_SC_NPROCESSORS_CONF)),
		    r->opts->max_memory / PENDING_SHARE, &r->events, NULL))
		r->events = NULL;
	rec_procs_limit(r->procs, r->opts->max_memory / RANGE_SHARE);
	rec_procs_trust_events(r->procs, r->events);
	return rec_drain_new(r->session, r->writer, r->procs, r->events, &r->drain, err);
}

int rec_recording_prepare(struct rec_recording *r, const struct rec_opts *opts, struct owt_err *err)
{
	struct rec_environment env = { .stdout_is_taken = false };
	int ret;

	*r = (struct rec_recording){
		.opts = opts, .output.fd = -1, .signal_fd = -1, .memory.statm_fd = -1
	};
	/* first of all, so that they hold nothing of ours */
	if (elw_namer_start(&r->namer) || rec_statshelper_start(&r->stats))
		return owt_fail(err, -errno, "cannot fork: %s", strerror(errno));
	/* early: Ctrl-C while the programs are loaded ends a recording, too */
	ret = open_signals(r, &env.signals, err);
	if (!ret)
		ret = rec_raise_fd_limit(&env.fds, err);
	if (!ret)
		ret = rec_kallsyms_load(&r->kallsyms, err);
	if (!ret)
		ret = rec_session_open(opts, r->kallsyms, &r->session, err);
	if (!ret)
		ret = rec_output_open(opts->output, &r->output, err);
	r->output.signal_fd = r->signal_fd;
	if (!ret)
		ret = open_writer(r, err);
	env.stdout_is_taken = !r->output.is_ours;
	if (!ret && opts->command)
		ret = rec_command_fork(opts->command, &env, &r->command, err);
	return ret;
}

static int write_ksym(struct rec_recording *r, const struct rec_ksym *from, struct owt_err *err)
{
	struct owt_ksym to = {
		.addr = from->addr,
		.type = from->type,
		.name = { from->name, strlen(from->name) },
		.module = { from->module, strlen(from->module) },
	};

	return owt_writer_ksym(r->writer, &to, err);
}

static int write_all_kallsyms(struct rec_recording *r, struct owt_err *err)
{
	int ret = 0;

	for (size_t i = 0; i < rec_kallsyms_cnt(r->kallsyms) && !ret; i++)
		ret = write_ksym(r, rec_kallsyms_at(r->kallsyms, i), err);
	return ret;
}

struct used_ksyms {
	const struct rec_kallsyms *all;
	bool *used;
};

/* All names of the address, and of the next one: that is where the function ends. */
static void use_ksym(void *ctx, uint64_t addr)
{
	struct used_ksyms *u = ctx;
	const struct rec_ksym *sym = rec_kallsyms_cover(u->all, addr - 1);
	size_t i, cnt = rec_kallsyms_cnt(u->all);
	uint64_t at;

	if (!sym)
		return;
	at = sym->addr;
	i = (size_t)(sym - rec_kallsyms_at(u->all, 0));
	u->used[i] = true;
	if (i + 1 < cnt)
		u->used[i + 1] = true;
	while (i-- > 0 && rec_kallsyms_at(u->all, i)->addr == at)
		u->used[i] = true;
}

static int write_used_kallsyms(struct rec_recording *r, struct owt_err *err)
{
	size_t cnt = rec_kallsyms_cnt(r->kallsyms);
	struct used_ksyms u = { r->kallsyms, calloc(cnt, sizeof(*u.used)) };
	int ret = 0;

	if (!u.used)
		return owt_fail(err, -ENOMEM, "out of memory");
	rec_drain_kernel_frames(r->drain, use_ksym, &u);
	for (size_t i = 0; i < cnt && !ret; i++)
		if (u.used[i])
			ret = write_ksym(r, rec_kallsyms_at(r->kallsyms, i), err);
	free(u.used);
	return ret;
}

/* A slice without intervals, for what is known before the first and after the last of them. */
static int end_plain_slice(struct rec_recording *r, uint64_t at_ns, struct owt_err *err)
{
	struct owt_slice slice = { .start_ns = at_ns, .end_ns = at_ns, .clock = rec_clock_now() };
	int ret = owt_writer_end_slice(r->writer, &slice, err);

	if (!ret)
		r->committed_bytes = owt_writer_bytes(r->writer);
	return ret;
}

/* Of those whose libraries may be replaced before their first stack comes. */
static int meet_targets(struct rec_recording *r, struct owt_err *err)
{
	int ret = 0;

	for (size_t i = 0; r->opts->filter == REC_TGIDS && i < r->opts->id_cnt && !ret; i++)
		ret = rec_procs_meet(r->procs, r->opts->ids[i], err);
	return ret;
}

/* The kernel's part stands; what it leaves is ours from now on. */
static void limit_memory(struct rec_recording *r)
{
	const struct rec_opts *opts = r->opts;
	uint64_t start, end;

	r->takes_interrupts_out =
		rec_kallsyms_find(r->kallsyms, "irqtime_account_irq", &start, &end);
	if (opts->all_kallsyms) { /* all written: some ten megabytes */
		rec_kallsyms_free(r->kallsyms);
		r->kallsyms = NULL;
		malloc_trim(0);
	}
	rec_memory_begin(&r->memory, rec_memory_bound(opts->max_memory, opts->stack_storage),
			 rec_session_kernel_bytes(r->session),
			 r->events ? rec_mapevents_bytes(r->events) : 0);
	rec_drain_limit(r->drain, &r->memory);
}

int rec_recording_begin(struct rec_recording *r, struct owt_err *err)
{
	const uint32_t helpers[OW_HELPERS] = { (uint32_t)elw_namer_pid(r->namer),
					       (uint32_t)rec_statshelper_pid(r->stats) };
	int ret = rec_priority_raise(&r->priority, (unsigned)r->opts->realtime, err);

	if (!ret)
		ret = rec_hostinfo_write(r->writer, r->opts, err);
	if (!ret && r->opts->all_kallsyms)
		ret = write_all_kallsyms(r, err);
	if (!ret)
		ret = end_plain_slice(r, rec_monotonic_ns(), err);
	r->host_before = rec_hosttime_now();
	if (!ret)
		ret = meet_targets(r, err);
	if (!ret)
		ret = rec_session_start(r->session, (uint32_t)r->command.pid, helpers,
					r->opts->duration_s * NS_PER_S, &r->start_ns, err);
	if (ret)
		return ret;
	rec_procs_trust_instants(r->procs, rec_session_notes_since(r->session));
	rec_cost_begin(&r->cost, r->stats, r->session, r->start_ns);
	rec_drain_begin(r->drain, r->start_ns);
	limit_memory(r);
	return 0;
}

/* Takes all signals that wait: true when one of them says to stop. */
static bool is_signalled(void *ctx)
{
	const struct rec_recording *r = ctx;
	struct signalfd_siginfo info;
	bool stop = false;

	while (read(r->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			stop = true;
	return stop;
}

/* True when a signal or the command's end says to stop. */
static bool is_told_to_stop(struct rec_recording *r)
{
	bool stop = is_signalled(r);

	return rec_command_reap(&r->command) || stop;
}

static void wait_until(struct rec_recording *r, uint64_t at_ns)
{
	struct pollfd wanted[] = { { .fd = r->signal_fd, .events = POLLIN },
				   { .fd = rec_drain_fd(r->drain), .events = POLLIN } };
	uint64_t now_ns = rec_monotonic_ns(), left_ns = at_ns > now_ns ? at_ns - now_ns : 0;
	struct timespec left;

	if (left_ns > POLL_NS)
		left_ns = POLL_NS;
	left = (struct timespec){ .tv_nsec = (long)left_ns };
	(void)ppoll(wanted, OWT_ARRAY_SIZE(wanted), &left, NULL);
}

static int take_slice(struct rec_recording *r, uint64_t end_ns, struct owt_err *err)
{
	int ret = rec_drain_slice(r->drain, end_ns, err);

	if (!ret) {
		r->committed_bytes = owt_writer_bytes(r->writer);
		r->slices++;
	}
	return ret;
}

static void show_live(struct rec_recording *r, uint64_t now_ns)
{
	const struct owt_losses *losses = &rec_drain_totals(r->drain)->losses;
	struct rec_live_facts facts = { .elapsed_ns = now_ns - r->start_ns };
	struct ow_count counts[OW_CNT_CNT];

	if (!rec_live_is_due(&r->live, now_ns) || rec_session_counters(r->session, counts, NULL))
		return;
	facts.switches = counts[OW_CNT_INTERVALS].count + counts[OW_CNT_FILTERED].count +
			 counts[OW_CNT_ROWS_FULL].count;
	facts.rows = owt_writer_rows(r->writer);
	facts.stacks = owt_writer_stacks(r->writer);
	facts.bytes = owt_writer_bytes(r->writer);
	for (unsigned i = 0; i < OWT_LOSS_CNT; i++)
		facts.lost += losses->count[i];
	rec_live_show(&r->live, &facts);
}

/* What is done by bpf() from now on. */
static bool can_read_maps(void *ctx)
{
	const struct rec_recording *r = ctx;
	struct ow_count counts[OW_CNT_CNT];

	return !rec_session_counters(r->session, counts, NULL);
}

/* Lets the command go; from then on we are as weak as can be. */
static int let_go(struct rec_recording *r, struct owt_err *err)
{
	int ret = r->command.pid ? rec_command_go(&r->command, r->opts->command[0], err) : 0;

	return ret ? ret : rec_caps_reduce(can_read_maps, r, err);
}

int rec_recording_run(struct rec_recording *r, struct owt_err *err)
{
	uint64_t slice_ns = r->opts->slice_us * 1000, next_ns = r->start_ns + slice_ns;
	uint64_t end_ns =
		r->opts->duration_s ? r->start_ns + r->opts->duration_s * NS_PER_S : UINT64_MAX;
	uint64_t now_ns = r->start_ns, due_ns;
	int ret = let_go(r, err);

	/* not beside a command, whose output it would disturb */
	rec_live_begin(&r->live, !r->opts->quiet && !r->opts->command, r->start_ns);
	while (!ret && now_ns < end_ns && !is_told_to_stop(r)) {
		show_live(r, now_ns);
		wait_until(r, next_ns < end_ns ? next_ns : end_ns);
		now_ns = rec_monotonic_ns();
		rec_cost_polled(&r->cost, now_ns);
		rec_bpfstats_step(&r->cost.bpf, r->session, now_ns);
		if (now_ns < next_ns && !rec_drain_is_pressed(r->drain)) {
			ret = rec_drain_poll(r->drain, err);
			continue;
		}
		due_ns = now_ns < next_ns ? now_ns : next_ns;
		if (now_ns >= next_ns)
			next_ns += slice_ns;
		ret = take_slice(r, end_ns, err);
		now_ns = rec_monotonic_ns();
		rec_cost_drained(&r->cost, due_ns, now_ns);
		if (next_ns < now_ns)
			next_ns = now_ns;
	}
	rec_live_clear(&r->live);
	return ret;
}

/* What they cost is known once they have ended. */
static void end_helpers(struct rec_recording *r)
{
	elw_namer_free(r->namer);
	r->namer = NULL;
	rec_statshelper_free(r->stats);
	r->stats = NULL;
}

/* What the accounts are to be held against; they may be wrong by this much. */
static int write_tolerance(struct rec_recording *r, struct owt_err *err)
{
	struct rec_hosttime now = rec_hosttime_now();
	int ret = rec_meta_u64(r->writer, "reconcile_tick_ns", rec_tick_ns(), err);

	if (!ret)
		ret = rec_meta_u64(r->writer, "reconcile_steal_ns",
				   rec_hosttime_steal_ns(&r->host_before, &now), err);
	if (!ret && r->takes_interrupts_out)
		ret = rec_meta_u64(r->writer, "reconcile_interrupt_ns",
				   rec_hosttime_interrupt_ns(&r->host_before, &now), err);
	if (!ret)
		ret = rec_meta_u64(r->writer, "reconcile_accounts_lost",
				   rec_drain_totals(r->drain)->accounts_lost, err);
	return ret;
}

/* What was left out as it began: its time is not known. */
static int write_left_out(struct rec_recording *r, struct owt_err *err)
{
	const struct rec_totals *t = rec_drain_totals(r->drain);
	int ret = 0;

	if (r->opts->by_state)
		ret = rec_meta_u64(r->writer, "intervals_of_other_states", t->other_state, err);
	if (!ret && r->opts->comms.cnt)
		ret = rec_meta_u64(r->writer, "intervals_of_other_names", t->other_name, err);
	if (!ret && r->opts->cgroup.id)
		ret = rec_meta_u64(r->writer, "intervals_of_other_cgroups", t->other_cgroup, err);
	if (!ret && *r->why_nothing)
		ret = owt_writer_meta(r->writer, "why_nothing", r->why_nothing, err);
	return ret;
}

static void explain_nothing(struct rec_recording *r)
{
	const struct rec_totals *t = rec_drain_totals(r->drain);
	struct rec_nothing n = {
		.intervals = t->intervals + t->open,
		.lost = t->losses.count[OWT_LOSS_ROWS_FULL] + t->losses.count[OWT_LOSS_TASK_STATE] +
			t->losses.count[OWT_LOSS_OPEN_ROWS],
		.outside_limits = t->filtered,
		.other_state = t->other_state,
		.other_name = t->other_name,
		.other_cgroup = t->other_cgroup,
	};

	if (n.intervals)
		return;
	rec_nothing_look(r->opts, &n);
	rec_nothing_say(r->opts, &n, r->why_nothing, sizeof(r->why_nothing));
}

static int write_outcome(struct rec_recording *r, struct owt_err *err)
{
	const struct rec_totals *t = rec_drain_totals(r->drain);
	struct rec_session_sleepers sleepers = rec_session_sleepers(r->session);
	int ret = rec_meta_u64(r->writer, "intervals", t->intervals, err);

	if (!ret)
		ret = rec_meta_u64(r->writer, "open_intervals", t->open, err);
	if (!ret)
		ret = rec_meta_u64(r->writer, "intervals_outside_limits", t->filtered, err);
	if (!ret)
		ret = rec_meta_u64(r->writer, "time_outside_limits_ns", t->filtered_ns, err);
	if (!ret)
		ret = write_left_out(r, err);
	if (!ret)
		ret = rec_meta_u64(r->writer, "states_in_fallback", t->fallbacks, err);
	if (!ret && sleepers.can_walk)
		ret = rec_meta_u64(r->writer, "sleepers_walked", sleepers.walked, err);
	else if (!ret)
		ret = owt_writer_meta(r->writer, "sleepers_walked", "not on this kernel", err);
	if (!ret && r->command.is_over && WIFEXITED(r->command.status))
		ret = rec_meta_u64(r->writer, "command_exit_status",
				   (uint64_t)WEXITSTATUS(r->command.status), err);
	if (!ret && r->command.is_over && WIFSIGNALED(r->command.status))
		ret = rec_meta_u64(r->writer, "command_signal",
				   (uint64_t)WTERMSIG(r->command.status), err);
	if (!ret && r->opts->reconcile)
		ret = write_tolerance(r, err);
	if (!ret)
		ret = rec_cost_write(&r->cost, r->writer,
				     r->command.is_over ? &r->command.usage : NULL, err);
	return ret;
}

/*
 * The functions that stacks touched; slow, and so left for the end. A file may lie where reading
 * it never ends: another signal, or the time, leaves the rest unnamed.
 */
static int write_names(struct rec_recording *r, struct owt_err *err)
{
	struct rec_naming naming = {
		.namer = r->namer,
		.patience = { .until_ns = rec_monotonic_ns() + r->opts->naming_s * NS_PER_S,
			      .wake_fd = r->signal_fd,
			      .is_over = is_signalled,
			      .ctx = r },
	};
	int ret = 0;

	if (r->opts->symbols)
		ret = rec_modules_write_symbols(r->modules, &naming, err);
	if (!ret && r->opts->symbols)
		ret = rec_procs_write_symbols(r->procs, &naming, err);
	r->unnamed_cnt = naming.left_cnt + rec_modules_unread(r->modules);
	if (!ret && r->unnamed_cnt)
		ret = rec_meta_u64(r->writer, "unnamed_files", r->unnamed_cnt, err);
	if (!ret && !r->opts->all_kallsyms)
		ret = write_used_kallsyms(r, err);
	return ret;
}

int rec_recording_finish(struct rec_recording *r, struct owt_err *err)
{
	struct owt_end end = { .start_ns = r->start_ns };
	int ret;

	rec_bpfstats_end(&r->cost.bpf, r->session, rec_monotonic_ns());
	if (rec_session_stop(r->session, &r->stop_ns, NULL))
		rec_drain_lost_open(r->drain);
	end.end_ns = r->stop_ns;
	ret = rec_drain_slice(r->drain, r->stop_ns, err);
	if (ret)
		return ret;
	r->slices++;
	r->committed_bytes = owt_writer_bytes(r->writer);
	rec_priority_restore(&r->priority);
	explain_nothing(r);
	ret = write_names(r, err);
	end_helpers(r);
	if (!ret)
		ret = write_outcome(r, err);
	if (!ret)
		ret = end_plain_slice(r, r->stop_ns, err);
	if (ret)
		return ret;
	end.clock = rec_clock_now();
	end.losses = rec_drain_totals(r->drain)->losses;
	ret = owt_writer_end(r->writer, &end, err);
	r->bytes = owt_writer_bytes(r->writer);
	r->rows = owt_writer_rows(r->writer);
	r->stacks = owt_writer_stacks(r->writer);
	return ret ? ret : rec_output_close(&r->output, err);
}

void rec_recording_done(struct rec_recording *r)
{
	rec_command_done(&r->command);
	end_helpers(r);
	rec_output_abandon(&r->output, r->slices ? r->committed_bytes : 0);
	rec_drain_free(r->drain);
	rec_memory_done(&r->memory);
	rec_mapevents_free(r->events);
	rec_procs_free(r->procs);
	rec_modules_free(r->modules);
	owt_writer_free(r->writer);
	rec_session_free(r->session);
	rec_kallsyms_free(r->kallsyms);
	if (r->signal_fd >= 0)
		close(r->signal_fd);
}
