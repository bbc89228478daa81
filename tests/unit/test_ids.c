/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "ids.h"

static const char thread[] = "Name:\tTgid:\\nTgid:\t7\nUmask:\t0022\nState:\tS (sleeping)\n"
			     "Tgid:\t4700\nNgid:\t0\nPid:\t4711\nPPid:\t1\n"
			     "NStgid:\t4700\t12\t1\nNSpid:\t4711\t23\t3\nNSpgid:\t4700\t12\t1\n"
			     "Threads:\t5\n";

Test(ids, reads_a_status)
{
	struct rec_task task;

	cr_assert_eq(rec_task_parse(thread, &task), 0);
	cr_expect_eq(task.tgid, 4700);
	cr_expect_eq(task.inner_tid, 3);
	cr_expect_eq(task.thread_cnt, 5);
	cr_expect_eq(task.state, 'S');
}

Test(ids, a_status_may_lack_all_but_the_process)
{
	static const char *const bad[] = { "", "Tgid:\t1\n", "\nTgid:\t\n", "\nTgid:\t0\n",
					   "\nTgid:\t99999999999\n" };
	struct rec_task task;

	cr_assert_eq(rec_task_parse("Name:\tx\nTgid:\t3", &task), 0);
	cr_expect_eq(task.tgid, 3);
	cr_expect_eq(task.inner_tid, 0);
	cr_expect_eq(task.thread_cnt, 0);
	for (size_t i = 0; i < OWT_ARRAY_SIZE(bad); i++)
		cr_expect_eq(rec_task_parse(bad[i], &task), -EINVAL, "%s", bad[i]);
	cr_expect_eq(rec_task_parse("x\nTgid:\t3\nNSpid:\t", &task), 0);
	cr_expect_eq(rec_task_parse("x\nTgid:\t3\nNSpid:\t4", &task), 0);
	cr_expect_eq(task.inner_tid, 4);
}

Test(ids, counts_those_that_are_missing)
{
	uint32_t ids[] = { (uint32_t)getpid(), 4194304, 4194303 };
	struct rec_opts opts = { .filter = REC_TGIDS, .ids = ids, .id_cnt = 1 };
	char buf[160] = "before";

	cr_expect_eq(rec_ids_missing(&opts, buf, sizeof(buf)), 0);
	cr_expect_str_empty(buf);
	opts.id_cnt = 3;
	cr_expect_eq(rec_ids_missing(&opts, buf, sizeof(buf)), 2);
	cr_expect_eq(strncmp(buf, "there is no process 4194304:", 28), 0, "%s", buf);
	opts.filter = REC_TIDS;
	cr_expect_eq(rec_ids_missing(&opts, buf, sizeof(buf)), 2);
	cr_expect_eq(strncmp(buf, "there is no thread 4194304:", 27), 0, "%s", buf);
}
