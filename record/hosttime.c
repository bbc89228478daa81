/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "hosttime.h"
#include "parse.h"
#include "slurp.h"

#define NS_PER_S 1000000000ull

/* Places in the line "cpu", from 0: user nice system idle iowait irq softirq steal ... */
enum { STAT_IRQ = 5, STAT_SOFTIRQ, STAT_STEAL, STAT_CNT };

bool rec_hosttime_parse(const char *text, size_t len, uint64_t tick_ns, struct rec_hosttime *out)
{
	const char *pos = text, *end = text + len;
	uint64_t ticks[STAT_CNT];

	if (len < 4 || memcmp(text, "cpu ", 4))
		return false;
	pos += 4;
	for (unsigned i = 0; i < STAT_CNT; i++) {
		while (pos < end && *pos == ' ')
			pos++;
		if (owt_take_u64(&pos, end, 10, &ticks[i]))
			return false;
	}
	*out = (struct rec_hosttime){
		.steal_ns = ticks[STAT_STEAL] * tick_ns,
		.interrupt_ns = (ticks[STAT_IRQ] + ticks[STAT_SOFTIRQ]) * tick_ns,
	};
	return true;
}

static uint64_t unit_ns(void)
{
	long hz = sysconf(_SC_CLK_TCK);

	return NS_PER_S / (uint64_t)(hz > 0 ? hz : 100);
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

uint64_t rec_hosttime_steal_ns(const struct rec_hosttime *before, const struct rec_hosttime *after)
{
	return after->steal_ns ? less(after->steal_ns, before->steal_ns) + unit_ns() : 0;
}

uint64_t rec_hosttime_interrupt_ns(const struct rec_hosttime *before,
				   const struct rec_hosttime *after)
{
	return less(after->interrupt_ns, before->interrupt_ns);
}

struct rec_hosttime rec_hosttime_now(void)
{
	struct rec_hosttime now = { 0 };
	char *text;
	size_t len;

	if (rec_slurp(AT_FDCWD, "/proc/stat", 16 << 20, &text, &len))
		return now;
	rec_hosttime_parse(text, len, unit_ns(), &now);
	free(text);
	return now;
}

uint64_t rec_tick_ns(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick))
		return 0;
	return (uint64_t)tick.tv_sec * NS_PER_S + (uint64_t)tick.tv_nsec;
}
