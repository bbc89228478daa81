/* SPDX-License-Identifier: Apache-2.0 */
/*
 * state.h - task states at switch-out, as ps(1) writes them.
 */
#ifndef REP_STATE_H
#define REP_STATE_H

#include "base.h"

/* Letters in the order of their bits: R is none of them, I is D that counts as no load. */
#define REP_STATE_LETTERS "RSDTtXZPI"

/* The letter of a state; '?' for bits that have none. */
char rep_state_letter(uint32_t state);

/* Which states are asked for. */
struct rep_states {
	bool by_mask;
	uint32_t mask;	  /* any of these bits; 0: running */
	uint32_t letters; /* bit N: letter N of REP_STATE_LETTERS; 0: all states */
};

/*
 * "2", "0x2" or letters, with or without commas: "S,D" or "SD". 0, or -EINVAL and
 * *out_states untouched.
 */
int rep_states_parse(const char *text, struct rep_states *out_states) OWT_MUST_CHECK;

bool rep_states_match(const struct rep_states *states, uint32_t state);

#endif
