/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>
#include "record_opts.h"

#define WORDS_MAX 12

/* Words separated by blanks. */
static void parse(const char *line, struct rec_opts *out)
{
	static char text[256]; /* what is parsed points into it */
	char *argv[WORDS_MAX + 1] = { NULL }, *rest = text, *word;
	int argc = 0;

	snprintf(text, sizeof(text), "offwake-record %s", line);
	while ((word = strsep(&rest, " ")) != NULL && argc < WORDS_MAX)
		argv[argc++] = word;
	cr_assert_eq(rec_opts_parse(argc, argv, out), 0);
}

Test(record_opts, filters_may_be_combined)
{
	struct rec_opts opts;

	parse("-p 1,2 --follow-children --comm a,b* --comm c --cgroup x/y --state 2", &opts);
	cr_expect_eq(opts.filter, REC_TGIDS);
	cr_expect_eq(opts.id_cnt, 2);
	cr_expect(opts.follow_children);
	cr_expect_eq(opts.comms.cnt, 3);
	cr_expect_str_eq(opts.cgroup_name, "x/y");
	cr_expect_null(opts.cgroup.dir);
	rec_opts_done(&opts);
	parse("-k --comm kworker*", &opts);
	cr_expect_eq(opts.filter, REC_KERNEL);
	cr_expect_eq(opts.comms.cnt, 1);
	rec_opts_done(&opts);
}

Test(record_opts, a_command_may_be_filtered_by_name_and_cgroup)
{
	struct rec_opts opts;

	parse("--comm a --cgroup /x --follow-children -- true", &opts);
	cr_expect_eq(opts.filter, REC_COMMAND);
	cr_expect_eq(opts.comms.cnt, 1);
	cr_expect_str_eq(opts.cgroup_name, "/x");
	rec_opts_done(&opts);
}

Test(record_opts, without_filters_there_are_none)
{
	struct rec_opts opts;

	parse("5", &opts);
	cr_expect_eq(opts.filter, REC_ALL);
	cr_expect_not(opts.follow_children);
	cr_expect_eq(opts.comms.cnt, 0);
	cr_expect_null(opts.cgroup_name);
	rec_opts_done(&opts);
}

static char usage[][32] = {
	"--follow-children",
	"-u --follow-children",
	"--comm ,",
	"--comm a,",
	"--cgroup a --cgroup b",
	"-p 1 --comm a -- true",
	"-p 1 -t 2 --cgroup a",
};

ParameterizedTestParameters(record_opts, refuses)
{
	return cr_make_param_array(char[32], usage, OWT_ARRAY_SIZE(usage));
}

ParameterizedTest(char (*line)[32], record_opts, refuses, .exit_code = 2)
{
	struct rec_opts opts;

	parse(*line, &opts);
}
