/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include "err.h"
#include "fold.h"
#include "report_opts.h"

enum { OPT_KINDS = 256, OPT_VALUE, OPT_DUMP, OPT_INFO, OPT_SYMFS, OPT_USAGE };

static const struct argp_option options[] = {
	{"folded", 'f', NULL, 0, "One line for each stack pair, for flame graphs", 0},
	{"delimited", 'd', NULL, 0, "Put \"-\" between kernel and user stacks", 0},
	{"user-stacks-only", 'U', NULL, 0, "Show no kernel stacks", 0},
	{"kernel-stacks-only", 'K', NULL, 0, "Show no user stacks", 0},
	{"kinds", OPT_KINDS, "LIST", 0,
	 "Show these kinds of intervals, comma separated: blocked, unobserved, preempted, open "
	 "(default: blocked,unobserved,open)",
	 0},
	{"value", OPT_VALUE, "WHICH", 0,
	 "Show total (the default), wait (until woken) or runq (from woken to running), all in "
	 "microseconds, or the count of intervals",
	 0},
	{"symfs", OPT_SYMFS, "DIR", 0,
	 "Look up mapped files below DIR (default: /); one is used only if its build-id is the "
	 "recorded one",
	 0},
	{"info", OPT_INFO, NULL, 0, "Say what is in the file instead", 0},
	{"dump", OPT_DUMP, NULL, 0,
	 "Print every row as stored instead, fields separated by tabs: row, kind, context, flags, "
	 "state, target tid, tgid, comm, waker tid, tgid, comm, interrupted tid, wait ns, runq "
	 "ns, count, max ns, target kernel, target user, waker kernel, waker user stack, slice",
	 0},
	{"help", 'h', NULL, 0, "Print this help", -1},
	{"usage", OPT_USAGE, NULL, OPTION_HIDDEN, NULL, 0},
	{"version", 'V', NULL, 0, "Print the version", -1},
	{0},
};

static int parse_kind(const char *name, size_t len, uint32_t *kinds)
{
	unsigned kind;

	for (kind = 0; kind < OWT_KIND_CNT; kind++)
		if (strlen(owt_kind_name(kind)) == len &&
		    memcmp(owt_kind_name(kind), name, len) == 0) {
			*kinds |= 1u << kind;
			return 0;
		}
	return -OWT_E_USAGE;
}

static void parse_kinds(const char *list, struct rep_opts *opts, struct argp_state *state)
{
	uint32_t kinds = 0;
	size_t len;

	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (parse_kind(list, len, &kinds))
			argp_error(state,
				   "--kinds: \"%.*s\" is not one of blocked, unobserved, "
				   "preempted, open",
				   (int)len, list);
		if (!list[len])
			break;
	}
	opts->kinds = kinds;
}

static void parse_value(const char *word, struct rep_opts *opts, struct argp_state *state)
{
	static const char *const words[] = {
		[REP_VALUE_TOTAL] = "total",
		[REP_VALUE_WAIT] = "wait",
		[REP_VALUE_RUNQ] = "runq",
		[REP_VALUE_COUNT] = "count",
	};
	unsigned value;

	for (value = 0; value < OWT_ARRAY_SIZE(words); value++)
		if (strcmp(words[value], word) == 0) {
			opts->value = value;
			return;
		}
	argp_error(state, "--value: \"%s\" is not one of total, wait, runq, count", word);
}

static void choose_output(struct rep_opts *opts, enum rep_output output, struct argp_state *state)
{
	if (opts->output != REP_OUT_TEXT && opts->output != output)
		argp_error(state, "-f, --dump and --info exclude each other");
	opts->output = output;
}

static void choose_stacks(struct rep_opts *opts, uint32_t shown, struct argp_state *state)
{
	if (opts->shown != (REP_SHOW_USER | REP_SHOW_KERNEL) && opts->shown != shown)
		argp_error(state, "-U and -K exclude each other");
	opts->shown = shown;
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct rep_opts *opts = state->input;

	switch (key) {
	case 'f':
		choose_output(opts, REP_OUT_FOLDED, state);
		return 0;
	case 'd':
		opts->delimited = true;
		return 0;
	case 'U':
		choose_stacks(opts, REP_SHOW_USER, state);
		return 0;
	case 'K':
		choose_stacks(opts, REP_SHOW_KERNEL, state);
		return 0;
	case OPT_KINDS:
		parse_kinds(arg, opts, state);
		return 0;
	case OPT_VALUE:
		parse_value(arg, opts, state);
		return 0;
	case OPT_SYMFS:
		opts->symfs = arg;
		return 0;
	case OPT_DUMP:
		choose_output(opts, REP_OUT_DUMP, state);
		return 0;
	case OPT_INFO:
		choose_output(opts, REP_OUT_INFO, state);
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case OPT_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE | ARGP_HELP_EXIT_OK);
		return 0;
	case 'V':
		puts("offwake-report " OWT_VERSION);
		exit(OWT_EXIT_OK);
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one FILE at most");
		opts->file = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void rep_opts_parse(int argc, char **argv, struct rep_opts *out_opts)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse_opt,
		.args_doc = "[FILE]",
		.doc = "Show where threads were off CPU, and what woke them, from a recording of "
		       "offwake-record (default: offwake.data; - is stdin)."
		       "\vExit status: 0 complete; 1 failed; 2 usage; 3 printed, but intervals "
		       "are missing or the recording was cut short."};
	struct rep_opts opts = {.output = REP_OUT_TEXT,
				.shown = REP_SHOW_USER | REP_SHOW_KERNEL,
				.kinds = 1u << OWT_KIND_BLOCKED | 1u << OWT_KIND_UNOBSERVED |
					 1u << OWT_KIND_OPEN,
				.symfs = "/",
				.file = "offwake.data"};

	argp_err_exit_status = OWT_EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &opts);
	*out_opts = opts;
}
