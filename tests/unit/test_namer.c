/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "elfnamer.h"

static bool never(void *ctx)
{
	(void)ctx;
	return false;
}

static bool once(void *ctx)
{
	int *fd = ctx;
	char byte;

	return read(*fd, &byte, 1) == 1;
}

struct found {
	size_t cnt;
	char name[64];
};

static int take(void *ctx, size_t index, const struct elw_symbol *symbol)
{
	struct found *found = ctx;

	(void)index;
	found->cnt++;
	cr_assert_lt(symbol->len, sizeof(found->name));
	memcpy(found->name, symbol->name, symbol->len);
	return 0;
}

/* An address no function covers; that names are found the live tests show. */
static int ask(struct elw_namer *n, const struct elw_patience *patience, enum elw_outcome *outcome)
{
	const uint64_t vaddr = 1;
	const struct elw_request request = { .vaddrs = &vaddr, .vaddr_cnt = 1 };
	struct found found = { 0 };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), rc;

	cr_assert_geq(fd, 0);
	rc = elw_namer_names(n, fd, &request, patience, take, &found, outcome);
	close(fd);
	cr_expect_eq(found.cnt, 0);
	return rc;
}

Test(namer, answers_one_request_after_another)
{
	struct elw_namer *n = NULL;
	enum elw_outcome outcome;

	cr_assert_eq(elw_namer_start(&n), 0);
	for (int i = 0; i < 3; i++) {
		cr_expect_eq(ask(n, NULL, &outcome), 0);
		cr_expect_eq(outcome, ELW_READ);
	}
	elw_namer_free(n);
}

Test(namer, survives_what_is_no_elf_file)
{
	const struct elw_request request = { 0 };
	struct elw_namer *n = NULL;
	enum elw_outcome outcome;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	cr_assert_eq(elw_namer_start(&n), 0);
	cr_expect_eq(elw_namer_names(n, fd, &request, NULL, take, NULL, &outcome), 0);
	cr_expect_eq(outcome, ELW_FAILED);
	close(fd);
	cr_expect_eq(ask(n, NULL, &outcome), 0);
	cr_expect_eq(outcome, ELW_READ);
	elw_namer_free(n);
}

Test(namer, is_waited_for_as_long_as_was_said)
{
	struct elw_patience patience = { .wake_fd = -1, .is_over = never };
	uint64_t start_ns = rec_monotonic_ns(), took_ns;
	struct elw_namer *n = NULL;
	enum elw_outcome outcome;

	cr_assert_eq(elw_namer_start(&n), 0);
	kill(elw_namer_pid(n), SIGSTOP);
	patience.until_ns = start_ns + 100000000;
	cr_expect_eq(ask(n, &patience, &outcome), -ETIMEDOUT);
	took_ns = rec_monotonic_ns() - start_ns;
	cr_expect(took_ns >= 100000000 && took_ns < 5000000000, "%llu ns",
		  (unsigned long long)took_ns);
	kill(elw_namer_pid(n), SIGCONT);
	elw_namer_free(n);
}

Test(namer, is_given_up_when_somebody_says_so)
{
	int fds[2];
	struct elw_patience patience = { .until_ns = UINT64_MAX, .is_over = once, .ctx = &fds[0] };
	struct elw_namer *n = NULL;
	enum elw_outcome outcome;

	cr_assert_eq(pipe(fds), 0);
	cr_assert_eq(write(fds[1], "x", 1), 1);
	patience.wake_fd = fds[0];
	cr_assert_eq(elw_namer_start(&n), 0);
	kill(elw_namer_pid(n), SIGSTOP);
	cr_expect_eq(ask(n, &patience, &outcome), -ETIMEDOUT);
	kill(elw_namer_pid(n), SIGCONT);
	elw_namer_free(n);
	close(fds[0]);
	close(fds[1]);
}
