/* SPDX-License-Identifier: Apache-2.0 */
/*
 * comms.h - the thread names of --comm. The kernel keeps 15 bytes of a name, and so do we.
 */
#ifndef REC_COMMS_H
#define REC_COMMS_H

#include "base.h"

#define REC_COMM_MAX 15

struct rec_comm {
	char name[REC_COMM_MAX + 1]; /* zeros behind its end */
	uint8_t len;
	bool is_prefix; /* "name*": names that begin so */
	bool is_cut;	/* it was given with more than 15 bytes */
};

/* Zeroed: none. */
struct rec_comms {
	struct rec_comm *items; /* owned */
	size_t cnt;
};

/*
 * Adds the names of a list separated by commas; a "*" at the end of one makes it a prefix.
 * 0, -EINVAL for an empty name, or -ENOMEM; what was added stays.
 */
int rec_comms_add(struct rec_comms *comms, const char *list) OWT_MUST_CHECK;

/* The list again, as it will be compared. *out_text is the caller's to free. 0 or -ENOMEM. */
int rec_comms_text(const struct rec_comms *comms, char **out_text) OWT_MUST_CHECK;

void rec_comms_done(struct rec_comms *comms);

#endif
