/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "parse.h"
#include "record_opts.h"

#define STACKS_DEFAULT	 131072
#define STACKS_MAX	 (64u << 20)
#define SLICE_US_DEFAULT 1000000
#define TID_MAX		 4194304  /* the kernel's own limit, PID_MAX_LIMIT */
#define DURATION_S_MAX	 99999999 /* what the ancestor calls forever */

enum { KEY_STACKS = 256, KEY_SLICE, KEY_SLICE_US, KEY_SYMBOLS, KEY_KALLSYMS };

const char *argp_program_version = "offwake-record " OWT_VERSION;

static const struct argp_option options[] = {
	{"pid", 'p', "PIDS", 0, "Record only these processes (comma-separated)", 1},
	{"tid", 't', "TIDS", 0, "Record only these threads (comma-separated)", 1},
	{"min-block-time", 'm', "US", 0, "Shortest time off CPU to count, in microseconds", 2},
	{"max-block-time", 'M', "US", 0, "Longest time off CPU to count, in microseconds", 2},
	{"stack-storage-size", KEY_STACKS, "N", 0, "Most distinct stacks to keep (default 131072)",
	 3},
	{"output", 'o', "FILE", 0, "Where to record to (default offwake.data; - is stdout)", 4},
	{"slice", KEY_SLICE, "SECONDS", 0,
	 "Save what was recorded every so many seconds, 0.1 to 60 (default 1)", 4},
	{"symbols", KEY_SYMBOLS, "WHICH", 0,
	 "Function names to record: used (those in stacks, the default) or none", 4},
	{"kallsyms", KEY_KALLSYMS, "WHICH", 0,
	 "Kernel symbols to record: all (the default) or used", 4},
	{"slice-us", KEY_SLICE_US, "US", OPTION_HIDDEN, NULL, 4},
	{"quiet", 'q', NULL, 0, "Say nothing but errors", 5},
	{0}};

static const char doc[] =
	"Record why threads are off CPU, for how long, and who wakes them.\v"
	"Without a COMMAND the whole machine is recorded until Ctrl-C or for DURATION seconds; "
	"with one, the command and its children until it ends. Read the recording with "
	"offwake-report.\n\n"
	"Examples:\n"
	"  offwake-record 10                 the whole machine for 10 seconds\n"
	"  offwake-record -p 185 -o db.data  process 185 until Ctrl-C\n"
	"  offwake-record -- make -j8        a command and its children\n"
	"  offwake-record -o - 5 | offwake-report -f -\n\n"
	"Exit status: 0 complete; 1 failed, nothing recorded; 2 usage; 3 recorded, but intervals "
	"or rows are missing.";

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
	struct rec_opts *opts = state->input;
	char *list = arg, *word;
	uint64_t id;

	if (opts->filter != REC_ALL && opts->filter != filter)
		argp_error(state, "-p and -t cannot be given together");
	opts->filter = filter;
	while ((word = strsep(&list, ",")) != NULL) {
		if (owt_parse_u64(word, 1, TID_MAX, &id))
			argp_error(state,
				   "\"%s\" is no process or thread id: give numbers from 1 to "
				   "%d, separated by commas",
				   word, TID_MAX);
		else if (add_id(opts, id))
			argp_failure(state, 1, ENOMEM, "cannot keep the id list");
	}
}

static void parse_number(struct argp_state *state, const char *what, const char *arg, uint64_t min,
			 uint64_t max, uint64_t *out)
{
	if (owt_parse_u64(arg, min, max, out))
		argp_error(state, "%s must be a whole number from %llu to %llu, not \"%s\"", what,
			   (unsigned long long)min, (unsigned long long)max, arg);
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
	parse_number(state, "the duration (a command stands behind --)", arg, 1, DURATION_S_MAX,
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
		argp_error(state, "-p and -t cannot be given with a command");
	if (opts->command && opts->duration_s)
		argp_error(state, "a duration cannot be given with a command: it ends when the "
				  "command does");
	if (opts->command)
		opts->filter = REC_COMMAND;
	if (opts->min_us > opts->max_us)
		argp_error(state, "-m is greater than -M: no interval could be counted");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct rec_opts *opts = state->input;

	switch (key) {
	case 'p':
		parse_ids(state, arg, REC_TGIDS);
		break;
	case 't':
		parse_ids(state, arg, REC_TIDS);
		break;
	case 'm':
		parse_number(state, "-m", arg, 1, UINT64_MAX / 1000, &opts->min_us);
		break;
	case 'M':
		parse_number(state, "-M", arg, 1, UINT64_MAX, &opts->max_us);
		break;
	case KEY_STACKS:
		parse_number(state, "--stack-storage-size", arg, 1, STACKS_MAX,
			     &opts->stack_storage);
		break;
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
	case 'q':
		opts->quiet = true;
		break;
	case ARGP_KEY_ARG:
		parse_duration(state, arg);
		break;
	case ARGP_KEY_END:
		check(state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int rec_opts_parse(int argc, char **argv, struct rec_opts *out)
{
	static const struct argp argp = {
		options, parse, "[DURATION]\n-- COMMAND [ARG...]", doc, NULL, NULL, NULL};

	*out = (struct rec_opts){
		.max_us = UINT64_MAX,
		.stack_storage = STACKS_DEFAULT,
		.slice_us = SLICE_US_DEFAULT,
		.output = "offwake.data",
		.symbols = true,
		.all_kallsyms = true,
	};
	argp_err_exit_status = 2;
	/* split first: getopt would move words that stand before -- behind it */
	for (int i = 1; i < argc && !out->command; i++)
		if (!strcmp(argv[i], "--")) {
			out->command = &argv[i + 1];
			argc = i;
		}
	return argp_parse(&argp, argc, argv, 0, NULL, out) ? -EINVAL : 0;
}

void rec_opts_done(struct rec_opts *opts)
{
	free(opts->ids);
	opts->ids = NULL;
}
