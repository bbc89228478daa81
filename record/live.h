/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live.h - one line on the terminal, rewritten in place each second.
 */
#ifndef REC_LIVE_H
#define REC_LIVE_H

#include "base.h"

struct rec_live_facts {
	uint64_t elapsed_ns;
	uint64_t switches; /* intervals ended so far */
	uint64_t rows, stacks, lost, bytes;
};

/* Zeroed: off. */
struct rec_live {
	bool is_on, is_shown;
	uint64_t next_ns; /* when the next line is due */
	struct rec_live_facts last;
};

/* On when it is wanted and stderr is a terminal. */
void rec_live_begin(struct rec_live *l, bool is_wanted, uint64_t now_ns);

/* True once a second, and only in the foreground: a background job leaves the terminal alone. */
bool rec_live_is_due(struct rec_live *l, uint64_t now_ns);

/* Writes the line; its rate is that since the line before. */
void rec_live_show(struct rec_live *l, const struct rec_live_facts *now);

/* Takes the line away, before anything else is said. */
void rec_live_clear(struct rec_live *l);

/* The line's text, without the terminal's codes; cut to size. */
void rec_live_format(const struct rec_live_facts *last, const struct rec_live_facts *now, char *buf,
		     size_t size);

#endif
