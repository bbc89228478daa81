/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <unistd.h>
#include "bpfstats.h"
#include "slurp.h"

#define MS	    1000000ull
#define FIRST_NS    (100 * MS)
#define WINDOW_NS   (50 * MS)
#define INTERVAL_NS (30000 * MS) /* it rewrites kernel text, which interrupts all CPUs */

static bool is_always_on(void)
{
	char *text;
	size_t len;
	bool on;

	if (rec_slurp(-1, "/proc/sys/kernel/bpf_stats_enabled", 16, &text, &len))
		return false;
	on = len && *text == '1';
	free(text);
	return on;
}

static void open_window(struct rec_bpfstats *b, const struct rec_session *s, uint64_t now_ns)
{
	b->program_cnt = rec_session_programs(s, b->before);
	b->open_ns = now_ns;
}

static void close_window(struct rec_bpfstats *b, const struct rec_session *s, uint64_t now_ns)
{
	struct rec_program after[REC_PROGRAMS_MAX];
	size_t cnt = rec_session_programs(s, after);

	for (size_t i = 0; i < cnt && i < b->program_cnt; i++) {
		b->sums[i].name = after[i].name;
		b->sums[i].runs += after[i].runs - b->before[i].runs;
		b->sums[i].run_ns += after[i].run_ns - b->before[i].run_ns;
	}
	b->windows++;
	b->window_ns += now_ns - b->open_ns;
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
	b->open_ns = 0;
}

void rec_bpfstats_begin(struct rec_bpfstats *b, struct rec_statshelper *helper,
			const struct rec_session *s, uint64_t now_ns)
{
	*b = (struct rec_bpfstats){ .helper = helper, .fd = -1, .next_ns = now_ns + FIRST_NS };
	if (!is_always_on())
		return;
	b->how = REC_STATS_ALWAYS;
	open_window(b, s, now_ns);
}

void rec_bpfstats_step(struct rec_bpfstats *b, const struct rec_session *s, uint64_t now_ns)
{
	if (b->how != REC_STATS_SAMPLED)
		return;
	if (b->open_ns) {
		if (now_ns - b->open_ns >= WINDOW_NS)
			close_window(b, s, now_ns);
		return;
	}
	if (now_ns < b->next_ns)
		return;
	b->next_ns = now_ns + INTERVAL_NS;
	b->fd = rec_statshelper_open(b->helper);
	if (b->fd < 0)
		b->how = REC_STATS_REFUSED;
	else
		open_window(b, s, now_ns);
}

void rec_bpfstats_end(struct rec_bpfstats *b, const struct rec_session *s, uint64_t now_ns)
{
	if (b->open_ns)
		close_window(b, s, now_ns);
}
