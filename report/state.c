/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>
#include "parse.h"
#include "state.h"

#define REPORTED 0x7fu	/* the bits that have letters, since Linux 4.14 */
#define NO_LOAD	 0x400u /* TASK_NOLOAD */
#define D_BIT	 0x2u	/* TASK_UNINTERRUPTIBLE */

char rep_state_letter(uint32_t state)
{
	unsigned bit = 0;

	if ((state & (D_BIT | NO_LOAD)) == (D_BIT | NO_LOAD))
		return 'I';
	if (!(state & REPORTED))
		return state ? '?' : 'R';
	while ((state & REPORTED) >> (bit + 1))
		bit++;
	return REP_STATE_LETTERS[bit + 1];
}

int rep_states_parse(const char *text, struct rep_states *out_states)
{
	bool hex = strncmp(text, "0x", 2) == 0;
	const char *p = text + (hex ? 2 : 0), *end = text + strlen(text);
	struct rep_states states = { 0 };
	uint64_t mask;

	if (*text >= '0' && *text <= '9') {
		if (owt_take_u64(&p, end, hex ? 16 : 10, &mask) || p != end || mask > UINT32_MAX)
			return -EINVAL;
		*out_states = (struct rep_states){ .by_mask = true, .mask = (uint32_t)mask };
		return 0;
	}
	for (; *p; p++) {
		const char *letter = strchr(REP_STATE_LETTERS, *p);

		if (*p == ',')
			continue;
		if (!letter)
			return -EINVAL;
		states.letters |= 1u << (letter - REP_STATE_LETTERS);
	}
	if (!states.letters)
		return -EINVAL;
	*out_states = states;
	return 0;
}

bool rep_states_match(const struct rep_states *states, uint32_t state)
{
	const char *letter;

	if (states->by_mask)
		return states->mask ? (state & states->mask) != 0 : state == 0;
	if (!states->letters)
		return true;
	letter = strchr(REP_STATE_LETTERS, rep_state_letter(state));
	return letter && (states->letters & (1u << (letter - REP_STATE_LETTERS)));
}
