/* SPDX-License-Identifier: Apache-2.0 */
/*
 * caps.h - the capabilities a recording goes on with once its programs are attached, and those a
 * command is started with: what the list in docs/security.md says, and nothing else.
 */
#ifndef REC_CAPS_H
#define REC_CAPS_H

#include "base.h"
#include "err.h"

/*
 * Gives up what the rest of a recording does not need, for good: no exec brings anything back.
 * works(ctx) tries what CAP_BPF might be needed for; if it fails without, CAP_BPF is kept.
 */
int rec_caps_reduce(bool (*works)(void *ctx), void *ctx, struct owt_err *err) OWT_MUST_CHECK;

/* Gives up all but these of what is held, for good. 0, or -1 and errno. */
int rec_caps_only(uint64_t bits) OWT_MUST_CHECK;

/* What is left of the capabilities cap_eff of a process after that; needs_bpf: see above. */
uint64_t rec_caps_kept(uint64_t cap_eff, bool needs_bpf);

/*
 * For a child before exec: what runs then gets only what its user and its file give it. Safe
 * between fork and exec. 0 or -1.
 */
int rec_caps_disinherit(void) OWT_MUST_CHECK;

#endif
