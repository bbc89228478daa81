/* SPDX-License-Identifier: Apache-2.0 */
/* ancestor.h - what the ancestor's program stores, shared with its loader. */
#ifndef OW_ANCESTOR_H
#define OW_ANCESTOR_H

#include <linux/types.h>

#define ANCESTOR_COMM	16
#define ANCESTOR_DEPTH	127
#define ANCESTOR_STACKS 16384
#define ANCESTOR_ROWS	10240

/* Calls of bpf_get_stackid(), those that lost their stack to another, rows without room. */
enum ancestor_count { ANCESTOR_TAKEN, ANCESTOR_COLLIDED, ANCESTOR_NO_ROW, ANCESTOR_COUNTS };

struct ancestor_key {
	char waker[ANCESTOR_COMM];
	char target[ANCESTOR_COMM];
	__s64 waker_kstack, waker_ustack, target_kstack, target_ustack; /* stack id or -errno */
	__u32 target_tid, target_tgid;
	__u32 waker_tid, waker_tgid;
};

#endif
