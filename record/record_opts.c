/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "err.h"
#include "parse.h"
#include "priority.h"
#include "record_opts.h"
#include "sizes.h"

#define STACKS_MAX	 (64u << 20)
#define SLICE_US_DEFAULT 1000000
#define TID_MAX		 4194304  /* the kernel's own limit, PID_MAX_LIMIT */
#define DURATION_S_MAX	 99999999 /* what the ancestor calls forever */

enum {
	KEY_STACKS = 256,
	KEY_STATE,
	KEY_RAW_WAKERS,
	KEY_MEMORY,
	KEY_SLICE,
	KEY_SLICE_US,
	KEY_SYMBOLS,
	KEY_KALLSYMS,
	KEY_CHECK,
	KEY_EBPF,
	KEY_REALTIME,
	KEY_USAGE,
	KEY_FOLLOW,
	KEY_CGROUP,
	KEY_COMM,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "Which threads:", 1 },
	{ "pid", 'p', "PIDS", 0, "Record only these processes (comma-separated)", 1 },
	{ "tid", 't', "TIDS", 0, "Record only these threads (comma-separated)", 1 },
	{ "user-threads-only", 'u', NULL, 0, "Record no kernel threads", 1 },
	{ "kernel-threads-only", 'k', NULL, 0, "Record kernel threads only", 1 },
	{ "follow-children", KEY_FOLLOW, NULL, 0,
	  "With -p or -t: their children, too, and the children of those, old and new", 1 },
	{ "comm", KEY_COMM, "NAMES", 0,
	  "Of these, threads of these names (comma-separated; NAME* for those that begin so)", 1 },
	{ "cgroup", KEY_CGROUP, "PATH", 0,
	  "Of these, threads in this cgroup (version 2) or below it", 1 },
	{ NULL, 0, NULL, 0, "Which times off CPU:", 2 },
	{ "min-block-time", 'm', "US", 0, "Those of US microseconds or more", 2 },
	{ "max-block-time", 'M', "US", 0, "Those of US microseconds or less", 2 },
	{ "state", KEY_STATE, "MASK", 0,
	  "Those that begin in one of these task states: 1 interruptible, 2 uninterruptible, 3 "
	  "both ...; 0 is running, that is preempted",
	  2 },
	{ NULL, 0, NULL, 0, "What of them:", 3 },
	{ "user-stacks-only", 'U', NULL, 0, "Take no kernel stacks", 3 },
	{ "kernel-stacks-only", 'K', NULL, 0, "Take no user stacks", 3 },
	{ "raw-wakers", KEY_RAW_WAKERS, NULL, 0,
	  "Name as waker whoever was current, also where an interrupt woke", 3 },
	{ "stack-storage-size", KEY_STACKS, "N", 0,
	  "Keep at most N distinct stacks; those that are too many are counted (default: as many "
	  "as --max-memory allows, 131072)",
	  3 },
	{ "max-memory", KEY_MEMORY, "SIZE", 0,
	  "Size the tables so that they need at most SIZE bytes (K, M, G: 1024 times; default "
	  "256M: 131072 stacks, and 131072 rows a slice; each is half of it with half of SIZE)",
	  3 },
	{ NULL, 0, NULL, 0, "Where to:", 4 },
	{ "output", 'o', "FILE", 0, "Record to FILE (default offwake.data; - is stdout)", 4 },
	{ "slice", KEY_SLICE, "SECONDS", 0,
	  "Save what was recorded every so many seconds, 0.1 to 60 (default 1)", 4 },
	{ "symbols", KEY_SYMBOLS, "WHICH", 0,
	  "Function names to record: used (those in stacks, the default) or none", 4 },
	{ "kallsyms", KEY_KALLSYMS, "WHICH", 0,
	  "Kernel symbols to record: all (the default) or used", 4 },
	{ "slice-us", KEY_SLICE_US, "US", OPTION_HIDDEN, NULL, 4 },
	{ NULL, 0, NULL, 0, "Other:", 5 },
	{ "realtime", KEY_REALTIME, "PRIO", 0,
	  "Run with this real-time priority (SCHED_FIFO, 1 to 99), so that a busy host cannot keep "
	  "the recorder from fetching what was recorded",
	  5 },
	{ "quiet", 'q', NULL, 0, "Say nothing but errors", 5 },
	{ "verbose", 'v', NULL, 0, "Say what was attached, and what could not be had", 5 },
	{ "check", KEY_CHECK, NULL, 0,
	  "Record nothing: say what recording needs, what is missing here, and the cure", 5 },
	{ "ebpf", KEY_EBPF, NULL, 0, "Record nothing: print the source of the BPF programs", 5 },
	{ "help", 'h', NULL, 0, "Print this help", -1 },
	{ "usage", KEY_USAGE, NULL, OPTION_HIDDEN, NULL, -1 },
	{ "version", 'V', NULL, 0, "Print the version", -1 },
	{ 0 }
};

static const char doc[] =
	"Record why threads are off CPU, for how long, and who wakes them.\v"
	"Without a COMMAND the whole machine is recorded until Ctrl-C or for DURATION seconds; "
	"with one, the command and its children until it ends. Read the recording with "
	"offwake-report.\n\n"
	"Examples:\n"
	"  offwake-record 10                 the whole machine for 10 seconds\n"
	"  offwake-record -p 185 -o db.data  process 185 until Ctrl-C\n"
	"  offwake-record --state 2 -m 1000  disk waits and the like of 1 ms or more\n"
	"  offwake-record -- make -j8        a command and its children\n"
	"  offwake-record -o - 5 | offwake-report -f -\n\n"
	"Exit status: 0 complete; 1 failed, nothing recorded; 2 usage; 3 recorded, but intervals "
	"or rows are missing.";

/* What is wrong with a number, in the ancestor's words; an upper limit it does not have. */
static OWT_NORETURN void bad_number(struct argp_state *state, const char *option, const char *arg,
				    uint64_t min, uint64_t max)
{
	const char *digits = arg + (*arg == '-');
	uint64_t value = 0;

	if (!*digits || digits[strspn(digits, "0123456789")])
		argp_error(state, "argument %s: must be an integer, not \"%s\"", option, arg);
	else if (*arg == '-')
		argp_error(state, "argument %s: must be positive", option);
	else if (!owt_parse_u64(arg, 0, min, &value) && !value)
		argp_error(state, "argument %s: must be nonzero", option);
	else
		argp_error(state, "argument %s: must be %llu at most", option,
			   (unsigned long long)max);
	exit(OWT_EXIT_USAGE);
}

static void parse_number(struct argp_state *state, const char *option, const char *arg,
			 uint64_t min, uint64_t max, uint64_t *out)
{
	if (owt_parse_u64(arg, min, max, out))
		bad_number(state, option, arg, min, max);
}

/* Bytes, with K, M or G for powers of 1024. */
static void parse_size(struct argp_state *state, const char *option, const char *arg, uint64_t *out)
{
	static const char units[] = "KMG";
	const char *pos = arg, *end = arg + strlen(arg), *unit;
	uint64_t size = 0;
	bool ok = !owt_take_u64(&pos, end, 10, &size);
	unsigned shift = 0;

	if (ok && pos < end) {
		unit = strchr(units, *pos++);
		ok = unit && pos == end;
		shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	}
	if (!ok || size > REC_MEMORY_MAX >> shift || size << shift < REC_MEMORY_MIN)
		argp_error(state, "argument %s: must be %lluM to %lluG, not \"%s\"", option,
			   REC_MEMORY_MIN >> 20, REC_MEMORY_MAX >> 30, arg);
	*out = size << shift;
}

static void exclude(struct argp_state *state, const char *option, const char *earlier)
{
	argp_error(state, "argument %s: not allowed with argument %s", option, earlier);
}

static void choose_threads(struct argp_state *state, enum rec_filter filter)
{
	static const char *const names[] = {
		[REC_TGIDS] = "-p/--pid",
		[REC_TIDS] = "-t/--tid",
		[REC_USER] = "-u/--user-threads-only",
		[REC_KERNEL] = "-k/--kernel-threads-only",
	};
	struct rec_opts *opts = state->input;

	if (opts->filter != REC_ALL && opts->filter != filter)
		exclude(state, names[filter], names[opts->filter]);
	opts->filter = filter;
}

static void choose_stacks(struct argp_state *state, enum rec_stacks stacks)
{
	static const char *const names[] = {
		[REC_STACKS_USER] = "-U/--user-stacks-only",
		[REC_STACKS_KERNEL] = "-K/--kernel-stacks-only",
	};
	struct rec_opts *opts = state->input;

	if (opts->stacks != REC_STACKS_BOTH && opts->stacks != stacks)
		exclude(state, names[stacks], names[opts->stacks]);
	opts->stacks = stacks;
}

static int add_id(struct rec_opts *opts, uint64_t id)
{
	uint32_t *more = reallocarray(opts->ids, opts->id_cnt + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	opts->ids = more;
	opts->ids[opts->id_cnt++] = (uint32_t)id;
	return 0;
}

static void parse_ids(struct argp_state *state, char *arg, enum rec_filter filter)
{
	const char *option = filter == REC_TGIDS ? "-p/--pid" : "-t/--tid";
	struct rec_opts *opts = state->input;
	char *list = arg, *word;
	uint64_t id;

	choose_threads(state, filter);
	while ((word = strsep(&list, ",")) != NULL) {
		parse_number(state, option, word, 1, TID_MAX, &id);
		if (add_id(opts, id))
			argp_failure(state, 1, ENOMEM, "cannot keep the id list");
	}
}

static void parse_comms(struct argp_state *state, const char *arg)
{
	struct rec_opts *opts = state->input;
	int ret = rec_comms_add(&opts->comms, arg);

	if (ret == -EINVAL)
		argp_error(state, "argument --comm: a name in \"%s\" is empty", arg);
	if (ret)
		argp_failure(state, 1, -ret, "cannot keep the names");
}

static void parse_cgroup(struct argp_state *state, const char *arg)
{
	struct rec_opts *opts = state->input;

	if (!*arg || opts->cgroup_name)
		argp_error(state, "argument --cgroup: one path is needed, and no more than one");
	opts->cgroup_name = arg;
}

/* Seconds with at most one decimal: 0.1 to 60. */
static void parse_slice(struct argp_state *state, const char *arg, uint64_t *out_us)
{
	const char *pos = arg, *end = arg + strlen(arg);
	uint64_t whole = 0, tenths = 0;
	bool ok = !owt_take_u64(&pos, end, 10, &whole) && whole <= 60;

	if (ok && pos < end)
		ok = *pos++ == '.' && end - pos == 1 && !owt_take_u64(&pos, end, 10, &tenths) &&
		     pos == end;
	if (!ok || whole * 10 + tenths < 1 || whole * 10 + tenths > 600)
		argp_error(state, "--slice must be 0.1 to 60 seconds, not \"%s\"", arg);
	*out_us = whole * 1000000 + tenths * 100000;
}

static void parse_duration(struct argp_state *state, char *arg)
{
	struct rec_opts *opts = state->input;

	if (opts->duration_s)
		argp_error(state, "one duration only; a command stands behind --");
	parse_number(state, "duration (a command stands behind --)", arg, 1, DURATION_S_MAX,
		     &opts->duration_s);
}

/* One of two words: true for the second. */
static bool parse_choice(struct argp_state *state, const char *option, const char *arg,
			 const char *no, const char *yes)
{
	if (strcmp(arg, no) && strcmp(arg, yes))
		argp_error(state, "%s must be \"%s\" or \"%s\", not \"%s\"", option, yes, no, arg);
	return !strcmp(arg, yes);
}

static void check(struct argp_state *state)
{
	struct rec_opts *opts = state->input;

	if (opts->command && !*opts->command)
		argp_error(state, "no command behind --");
	if (opts->command && opts->filter != REC_ALL)
		argp_error(state, "-p, -t, -u and -k cannot be given with a command");
	if (opts->command && opts->duration_s)
		argp_error(state, "a duration cannot be given with a command: it ends when the "
				  "command does");
	if (opts->command)
		opts->filter = REC_COMMAND;
	if (opts->follow_children && !opts->command && !opts->id_cnt)
		argp_error(state, "--follow-children goes with -p or -t");
	if (opts->min_us > opts->max_us)
		argp_error(state, "-m is greater than -M: no interval could be counted");
}

/* The options that say what is recorded. */
static error_t parse_capture(int key, char *arg, struct argp_state *state)
{
	struct rec_opts *opts = state->input;

	switch (key) {
	case 'p':
		parse_ids(state, arg, REC_TGIDS);
		break;
	case 't':
		parse_ids(state, arg, REC_TIDS);
		break;
	case 'u':
		choose_threads(state, REC_USER);
		break;
	case 'k':
		choose_threads(state, REC_KERNEL);
		break;
	case 'U':
		choose_stacks(state, REC_STACKS_USER);
		break;
	case 'K':
		choose_stacks(state, REC_STACKS_KERNEL);
		break;
	case 'm':
		parse_number(state, "-m/--min-block-time", arg, 1, UINT64_MAX, &opts->min_us);
		break;
	case 'M':
		parse_number(state, "-M/--max-block-time", arg, 1, UINT64_MAX, &opts->max_us);
		break;
	case KEY_STATE:
		parse_number(state, "--state", arg, 0, UINT32_MAX, &opts->state);
		opts->by_state = true;
		break;
	case KEY_RAW_WAKERS:
		opts->raw_wakers = true;
		break;
	case KEY_STACKS:
		parse_number(state, "--stack-storage-size", arg, 1, STACKS_MAX,
			     &opts->stack_storage);
		break;
	case KEY_FOLLOW:
		opts->follow_children = true;
		break;
	case KEY_COMM:
		parse_comms(state, arg);
		break;
	case KEY_CGROUP:
		parse_cgroup(state, arg);
		break;
	case KEY_MEMORY:
		parse_size(state, "--max-memory", arg, &opts->max_memory);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct rec_opts *opts = state->input;

	switch (key) {
	case 'o':
		opts->output = arg;
		break;
	case KEY_SLICE:
		parse_slice(state, arg, &opts->slice_us);
		break;
	case KEY_SLICE_US:
		parse_number(state, "--slice-us", arg, 1, 60000000, &opts->slice_us);
		break;
	case KEY_SYMBOLS:
		opts->symbols = parse_choice(state, "--symbols", arg, "none", "used");
		break;
	case KEY_KALLSYMS:
		opts->all_kallsyms = parse_choice(state, "--kallsyms", arg, "used", "all");
		break;
	case KEY_REALTIME:
		parse_number(state, "--realtime", arg, 1, REC_REALTIME_MAX, &opts->realtime);
		break;
	case 'q':
		opts->quiet = true;
		break;
	case 'v':
		opts->verbose = true;
		break;
	case KEY_CHECK:
		opts->mode = REC_CHECK;
		break;
	case KEY_EBPF:
		opts->mode = REC_EBPF;
		break;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		break;
	case 'V':
		puts("offwake-record " OWT_VERSION);
		exit(OWT_EXIT_OK);
	case ARGP_KEY_ARG:
		parse_duration(state, arg);
		break;
	case ARGP_KEY_END:
		check(state);
		break;
	default:
		return parse_capture(key, arg, state);
	}
	return 0;
}

int rec_opts_parse(int argc, char **argv, struct rec_opts *out)
{
	static const struct argp argp = { options, parse, "[DURATION]\n-- COMMAND [ARG...]",
					  doc,	   NULL,  NULL,
					  NULL };

	*out = (struct rec_opts){
		.max_us = UINT64_MAX,
		.max_memory = REC_MEMORY_DEFAULT,
		.slice_us = SLICE_US_DEFAULT,
		.output = "offwake.data",
		.symbols = true,
		.all_kallsyms = true,
	};
	argp_err_exit_status = OWT_EXIT_USAGE;
	/* split first: getopt would move words that stand before -- behind it */
	for (int i = 1; i < argc && !out->command; i++)
		if (!strcmp(argv[i], "--")) {
			out->command = &argv[i + 1];
			argc = i;
		}
	return argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, out) ? -EINVAL : 0;
}

void rec_opts_done(struct rec_opts *opts)
{
	free(opts->ids);
	opts->ids = NULL;
	rec_comms_done(&opts->comms);
	rec_cgroup_done(&opts->cgroup);
}
