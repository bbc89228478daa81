/* SPDX-License-Identifier: Apache-2.0 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include "err.h"
#include "opt_values.h"
#include "parse.h"
#include "report_opts.h"

enum {
	OPT_SUMMARY = 256,
	OPT_JSON,
	OPT_DUMP,
	OPT_INFO,
	OPT_COMM,
	OPT_STATE,
	OPT_KINDS,
	OPT_FROM,
	OPT_TO,
	OPT_MIN,
	OPT_BY,
	OPT_VALUE,
	OPT_TOP,
	OPT_STATS,
	OPT_NO_DEMANGLE,
	OPT_SYMFS,
	OPT_USAGE
};

#define ALL_KINDS     ((1u << OWT_KIND_CNT) - 1)
#define DEFAULT_KINDS (ALL_KINDS & ~(1u << OWT_KIND_PREEMPTED))
#define UNSET	      0xffffffffu

static const struct argp_option options[] = {
	{NULL, 0, NULL, 0, "Outputs (default: text, the largest row last):", 1},
	{"folded", 'f', NULL, 0, "One line for each stack pair, for flame graphs", 1},
	{"summary", OPT_SUMMARY, NULL, 0,
	 "A table of wait sites: which function of which program waits how much, and for whom", 1},
	{"json", OPT_JSON, NULL, 0, "Everything, for programs", 1},
	{"dump", OPT_DUMP, NULL, 0,
	 "Every row as stored, fields separated by tabs: row, kind, context, flags, "
	 "state, target tid, tgid, comm, waker tid, tgid, comm, interrupted tid, wait ns, runq "
	 "ns, count, max ns, target kernel, target user, waker kernel, waker user stack, slice",
	 1},
	{"info", OPT_INFO, NULL, 0, "What the file holds, private data by class", 1},

	{NULL, 0, NULL, 0, "Which intervals:", 2},
	{"pid", 'p', "PIDS", 0, "Threads of these processes only, comma separated", 2},
	{"tid", 't', "TIDS", 0, "These threads only, comma separated", 2},
	{"comm", OPT_COMM, "NAMES", 0, "Threads of these names only, comma separated", 2},
	{"state", OPT_STATE, "STATES", 0,
	 "Waits in these states only: letters as in ps (S,D), or a mask of bits (0: running)", 2},
	{"kinds", OPT_KINDS, "LIST", 0,
	 "These kinds of intervals, comma separated: blocked, unobserved, preempted, open "
	 "(default: blocked,unobserved,open; for --json and --dump all)",
	 2},
	{"from", OPT_FROM, "SECONDS", 0,
	 "From here on, since the start of the recording; a slice (mostly 1 s) counts whole", 2},
	{"to", OPT_TO, "SECONDS", 0, "Up to here", 2},
	{"min", OPT_MIN, "US", 0, "Rows of at least so many microseconds in total", 2},

	{NULL, 0, NULL, 0, "How they are shown:", 3},
	{"by", OPT_BY, "WHAT", 0,
	 "Tell apart by tid (thread), tgid (process) or comm (name) (default: tid; for -f and "
	 "--summary comm)",
	 3},
	{"value", OPT_VALUE, "WHICH", 0,
	 "Show total (the default), wait (until woken) or runq (from woken to running), all in "
	 "microseconds, or the count of intervals",
	 3},
	{"top", OPT_TOP, "N", 0, "The N largest rows, the rest in one", 3},
	{"stats", OPT_STATS, NULL, 0, "Add count, mean, longest and share to each value", 3},
	{"delimited", 'd', NULL, 0, "Put \"-\" between kernel and user stacks", 3},
	{"user-stacks-only", 'U', NULL, 0, "Show no kernel stacks", 3},
	{"kernel-stacks-only", 'K', NULL, 0, "Show no user stacks", 3},
	{"no-demangle", OPT_NO_DEMANGLE, NULL, 0, "Leave C++ and Rust symbols as they are", 3},
	{"symfs", OPT_SYMFS, "DIR", 0,
	 "Look up mapped files below DIR (default: /); one is used only if its build-id is the "
	 "recorded one",
	 3},

	{"help", 'h', NULL, 0, "Print this help", -1},
	{"usage", OPT_USAGE, NULL, OPTION_HIDDEN, NULL, 0},
	{"version", 'V', NULL, 0, "Print the version", -1},
	{0},
};

static void parse_kinds(const char *list, struct rep_opts *opts, struct argp_state *state)
{
	const char *kinds[OWT_KIND_CNT];
	unsigned kind;
	size_t len;

	for (kind = 0; kind < OWT_KIND_CNT; kind++)
		kinds[kind] = owt_kind_name(kind);
	opts->select.kinds = 0;
	for (;; list += len + 1) {
		len = strcspn(list, ",");
		if (rep_take_word(list, len, kinds, OWT_ARRAY_SIZE(kinds), &kind))
			argp_error(state,
				   "--kinds: \"%.*s\" is not one of blocked, unobserved, "
				   "preempted, open",
				   (int)len, list);
		opts->select.kinds |= 1u << kind;
		if (!list[len])
			break;
	}
}

static unsigned parse_value(const char *word, struct argp_state *state)
{
	static const char *const words[] = {
		[REP_VALUE_TOTAL] = "total",
		[REP_VALUE_WAIT] = "wait",
		[REP_VALUE_RUNQ] = "runq",
		[REP_VALUE_COUNT] = "count",
	};
	unsigned value = 0;

	if (rep_take_word(word, strlen(word), words, OWT_ARRAY_SIZE(words), &value))
		argp_error(state, "--value: \"%s\" is not one of total, wait, runq, count", word);
	return value;
}

static unsigned parse_by(const char *word, struct argp_state *state)
{
	static const char *const words[] = {
		[REP_BY_TID] = "tid", [REP_BY_TGID] = "tgid", [REP_BY_COMM] = "comm"};
	unsigned by = 0;

	if (rep_take_word(word, strlen(word), words, OWT_ARRAY_SIZE(words), &by))
		argp_error(state, "--by: \"%s\" is not one of tid, tgid, comm", word);
	return by;
}

static uint64_t parse_number(const char *name, const char *text, uint64_t min,
			     struct argp_state *state)
{
	uint64_t number = 0;

	if (owt_parse_u64(text, min, UINT64_MAX, &number))
		argp_error(state, "%s: \"%s\" is not a number from %llu on", name, text,
			   (unsigned long long)min);
	return number;
}

static uint64_t parse_seconds(const char *name, const char *text, struct argp_state *state)
{
	uint64_t ns = 0;

	if (rep_parse_seconds(text, &ns))
		argp_error(state, "%s: \"%s\" is not a number of seconds, such as 2.5", name, text);
	return ns;
}

static const char *parse_ids(const char *name, const char *list, struct argp_state *state)
{
	if (!rep_is_id_list(list))
		argp_error(state, "%s: \"%s\" is not a list of ids, such as 185,190", name, list);
	return list;
}

static void choose_output(struct rep_opts *opts, enum rep_output output, struct argp_state *state)
{
	if (opts->output != REP_OUT_TEXT && opts->output != output)
		argp_error(state, "-f, --summary, --json, --dump and --info exclude each other");
	opts->output = output;
}

static void choose_stacks(struct rep_opts *opts, uint32_t shown, struct argp_state *state)
{
	if (opts->fold.shown != (REP_SHOW_USER | REP_SHOW_KERNEL) && opts->fold.shown != shown)
		argp_error(state, "-U and -K exclude each other");
	opts->fold.shown = shown;
}

/* What is left to decide once everything is known. */
static void settle(struct rep_opts *opts, struct argp_state *state)
{
	static const enum rep_merge merges[] = {
		[REP_OUT_TEXT] = REP_MERGE_NAMES,    [REP_OUT_FOLDED] = REP_MERGE_LINES,
		[REP_OUT_SUMMARY] = REP_MERGE_SITES, [REP_OUT_JSON] = REP_MERGE_FACTS,
		[REP_OUT_DUMP] = REP_MERGE_FACTS,    [REP_OUT_INFO] = REP_MERGE_FACTS};
	struct rep_fold_opts *fold = &opts->fold;
	struct rep_select_opts *select = &opts->select;
	bool as_stored = opts->output == REP_OUT_DUMP || opts->output == REP_OUT_INFO;
	bool by_comm = opts->output == REP_OUT_FOLDED || opts->output == REP_OUT_SUMMARY;
	bool has_span = select->from_ns != 0 || select->to_ns != UINT64_MAX;

	if (select->from_ns >= select->to_ns)
		argp_error(state, "--from must be before --to");
	if (opts->stats && opts->output != REP_OUT_TEXT)
		argp_error(state, "--stats is for text; --summary and --json always tell");
	if (as_stored && (fold->by != UNSET || fold->top || fold->min_us))
		argp_error(state, "--dump and --info merge no rows: no --by, --top or --min");
	if (opts->output == REP_OUT_INFO &&
	    (select->tgids || select->tids || select->comms || select->kinds != UNSET || has_span ||
	     select->states.by_mask || select->states.letters))
		argp_error(state, "--info tells of the whole file: it takes no filter");
	if (select->kinds == UNSET)
		select->kinds =
			as_stored || opts->output == REP_OUT_JSON ? ALL_KINDS : DEFAULT_KINDS;
	if (fold->by == UNSET)
		fold->by = by_comm ? REP_BY_COMM : REP_BY_TID;
	if (as_stored)
		fold->shown = REP_SHOW_USER | REP_SHOW_KERNEL;
	fold->as_stored = as_stored;
	fold->merge = merges[opts->output];
	opts->keep_slices = has_span || opts->output == REP_OUT_DUMP;
}

static bool parse_output(int key, struct rep_opts *opts, struct argp_state *state)
{
	switch (key) {
	case 'f':
		choose_output(opts, REP_OUT_FOLDED, state);
		return true;
	case OPT_SUMMARY:
		choose_output(opts, REP_OUT_SUMMARY, state);
		return true;
	case OPT_JSON:
		choose_output(opts, REP_OUT_JSON, state);
		return true;
	case OPT_DUMP:
		choose_output(opts, REP_OUT_DUMP, state);
		return true;
	case OPT_INFO:
		choose_output(opts, REP_OUT_INFO, state);
		return true;
	default:
		return false;
	}
}

static bool parse_filter(int key, char *arg, struct rep_opts *opts, struct argp_state *state)
{
	struct rep_select_opts *select = &opts->select;

	switch (key) {
	case 'p':
		select->tgids = parse_ids("-p", arg, state);
		return true;
	case 't':
		select->tids = parse_ids("-t", arg, state);
		return true;
	case OPT_COMM:
		select->comms = arg;
		return true;
	case OPT_STATE:
		if (rep_states_parse(arg, &select->states))
			argp_error(state, "--state: \"%s\" is neither a mask nor letters of \"%s\"",
				   arg, REP_STATE_LETTERS);
		return true;
	case OPT_KINDS:
		parse_kinds(arg, opts, state);
		return true;
	case OPT_FROM:
		select->from_ns = parse_seconds("--from", arg, state);
		return true;
	case OPT_TO:
		select->to_ns = parse_seconds("--to", arg, state);
		return true;
	case OPT_MIN:
		opts->fold.min_us = parse_number("--min", arg, 0, state);
		return true;
	default:
		return false;
	}
}

static bool parse_view(int key, char *arg, struct rep_opts *opts, struct argp_state *state)
{
	switch (key) {
	case OPT_BY:
		opts->fold.by = parse_by(arg, state);
		return true;
	case OPT_VALUE:
		opts->fold.value = parse_value(arg, state);
		return true;
	case OPT_TOP:
		opts->fold.top = parse_number("--top", arg, 1, state);
		return true;
	case OPT_STATS:
		opts->stats = true;
		return true;
	case 'd':
		opts->fold.delimited = true;
		return true;
	case 'U':
		choose_stacks(opts, REP_SHOW_USER, state);
		return true;
	case 'K':
		choose_stacks(opts, REP_SHOW_KERNEL, state);
		return true;
	case OPT_NO_DEMANGLE:
		opts->demangle = false;
		return true;
	case OPT_SYMFS:
		opts->symfs = arg;
		return true;
	default:
		return false;
	}
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct rep_opts *opts = state->input;

	if (parse_output(key, opts, state) || parse_filter(key, arg, opts, state) ||
	    parse_view(key, arg, opts, state))
		return 0;
	switch (key) {
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
	case ARGP_KEY_END:
		settle(opts, state);
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
				.select = {.kinds = UNSET, .to_ns = UINT64_MAX},
				.fold = {.by = UNSET, .shown = REP_SHOW_USER | REP_SHOW_KERNEL},
				.demangle = true,
				.symfs = "/",
				.file = "offwake.data"};

	argp_err_exit_status = OWT_EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &opts);
	*out_opts = opts;
}
