/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "live.h"

#define NS_PER_S      UINT64_C(1000000000)
#define COLUMNS_GUESS 80
#define MIB	      (1024.0 * 1024.0)

void rec_live_format(const struct rec_live_facts *last, const struct rec_live_facts *now, char *buf,
		     size_t size)
{
	uint64_t span_ns = now->elapsed_ns - last->elapsed_ns;
	double rate = span_ns ? (double)(now->switches - last->switches) * (double)NS_PER_S /
					(double)span_ns
			      : 0;

	snprintf(buf, size,
		 "%" PRIu64 " s  %.0f switches/s  %" PRIu64 " rows  %" PRIu64 " stacks  %" PRIu64
		 " lost  %.1f MiB",
		 now->elapsed_ns / NS_PER_S, rate, now->rows, now->stacks, now->lost,
		 (double)now->bytes / MIB);
}

void rec_live_begin(struct rec_live *l, bool is_wanted, uint64_t now_ns)
{
	*l = (struct rec_live){ .is_on = is_wanted && isatty(STDERR_FILENO),
				.next_ns = now_ns + NS_PER_S };
}

bool rec_live_is_due(struct rec_live *l, uint64_t now_ns)
{
	if (!l->is_on || now_ns < l->next_ns)
		return false;
	l->next_ns += NS_PER_S;
	if (l->next_ns < now_ns)
		l->next_ns = now_ns + NS_PER_S;
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

void rec_live_show(struct rec_live *l, const struct rec_live_facts *now)
{
	struct winsize window = { 0 };
	char line[160];
	int columns = COLUMNS_GUESS;

	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &window) && window.ws_col)
		columns = window.ws_col;
	rec_live_format(&l->last, now, line, sizeof(line));
	/* one column is left free: a cursor behind the last would begin a new line */
	fprintf(stderr, "\r%.*s\033[K", columns - 1, line);
	l->last = *now;
	l->is_shown = true;
}

void rec_live_clear(struct rec_live *l)
{
	if (l->is_shown)
		fputs("\r\033[K", stderr);
	l->is_shown = false;
}
