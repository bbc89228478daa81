/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include "nothing.h"

static void expect(const struct rec_opts *opts, struct rec_nothing n, const char *said)
{
	char buf[320];

	rec_nothing_say(opts, &n, buf, sizeof(buf));
	cr_expect_str_eq(buf, said);
	n.intervals = 1;
	rec_nothing_say(opts, &n, buf, sizeof(buf));
	cr_expect_str_empty(buf, "with an interval: %s", buf);
	n.intervals = 0;
	n.lost = 1;
	rec_nothing_say(opts, &n, buf, sizeof(buf));
	cr_expect_str_empty(buf, "with a loss: %s", buf);
}

Test(nothing, without_a_filter_nothing_is_said)
{
	expect(&(struct rec_opts){ .filter = REC_ALL }, (struct rec_nothing){ 0 }, "");
}

Test(nothing, of_what_a_filter_left_out)
{
	struct rec_opts all = { .filter = REC_ALL };

	expect(&all, (struct rec_nothing){ .other_state = 3 },
	       "--state left out 3 times off CPU (none began in a state of its mask)");
	expect(&all, (struct rec_nothing){ .other_name = 3 },
	       "--comm left out 3 times off CPU (no such thread was: names are those of threads, "
	       "ps -eLo comm)");
	expect(&all, (struct rec_nothing){ .outside_limits = 3 },
	       "-m and -M left out 3 times off CPU (all were too short or too long)");
}

Test(nothing, the_last_filter_met_is_explained)
{
	struct rec_opts all = { .filter = REC_ALL };

	expect(&all,
	       (struct rec_nothing){
		       .other_state = 1, .other_name = 2, .other_cgroup = 3, .outside_limits = 4 },
	       "--state left out 1 times off CPU, --comm left out 2 times off CPU, --cgroup left "
	       "out 3 times off CPU, -m and -M left out 4 times off CPU (all were too short or "
	       "too long)");
	expect(&all, (struct rec_nothing){ .other_state = 1, .other_name = 2, .other_cgroup = 3 },
	       "--state left out 1 times off CPU, --comm left out 2 times off CPU, --cgroup left "
	       "out 3 times off CPU (no thread in it was off CPU)");
}

Test(nothing, of_a_cgroup)
{
	struct rec_opts all = { .filter = REC_ALL };

	expect(&all, (struct rec_nothing){ .other_cgroup = 3, .population = REC_EMPTY },
	       "--cgroup left out 3 times off CPU (there are no processes in it)");
	expect(&all, (struct rec_nothing){ .other_cgroup = 3, .population = REC_REMOVED },
	       "--cgroup left out 3 times off CPU (it has been removed)");
	expect(&all, (struct rec_nothing){ .other_cgroup = 3, .population = REC_POPULATED },
	       "--cgroup left out 3 times off CPU (no thread in it was off CPU)");
}

Test(nothing, of_one_process_or_thread)
{
	uint32_t id = 4711;
	struct rec_opts process = { .filter = REC_TGIDS, .ids = &id, .id_cnt = 1 };
	struct rec_opts thread = { .filter = REC_TIDS, .ids = &id, .id_cnt = 1 };

	expect(&process, (struct rec_nothing){ .id_cnt = 1, .ended = 1 },
	       "process 4711 has ended, perhaps before the recording began");
	expect(&process, (struct rec_nothing){ .id_cnt = 1, .zombies = 1 },
	       "process 4711 has ended, and its parent has yet to wait for it (a zombie)");
	expect(&process, (struct rec_nothing){ .id_cnt = 1 },
	       "process 4711 was never seen off CPU: it ran all the time");
	expect(&thread, (struct rec_nothing){ .id_cnt = 1, .sibling_cnt = 2, .tgid = 4700 },
	       "thread 4711 was never seen off CPU: it ran all the time; it is one of 3 threads: "
	       "-p 4700 takes all of them");
}

Test(nothing, of_several)
{
	uint32_t ids[5] = { 1, 2, 3, 4, 5 };
	struct rec_opts threads = { .filter = REC_TIDS, .ids = ids, .id_cnt = 5 };

	expect(&threads, (struct rec_nothing){ .id_cnt = 5, .ended = 1, .zombies = 1 },
	       "of 5 threads, 2 ended and 3 were never seen off CPU");
}

Test(nothing, of_a_kind_of_threads_or_a_command)
{
	expect(&(struct rec_opts){ .filter = REC_KERNEL }, (struct rec_nothing){ 0 },
	       "no kernel thread was off CPU");
	expect(&(struct rec_opts){ .filter = REC_USER }, (struct rec_nothing){ 0 },
	       "no user thread was off CPU");
	expect(&(struct rec_opts){ .filter = REC_COMMAND }, (struct rec_nothing){ 0 },
	       "the command was never seen off CPU: it ran all the time");
}

Test(nothing, a_sentence_is_cut_to_size)
{
	struct rec_opts kernel = { .filter = REC_KERNEL };
	struct rec_nothing n = { 0 };
	char buf[10];

	rec_nothing_say(&kernel, &n, buf, sizeof(buf));
	cr_expect_str_eq(buf, "no kernel");
}
