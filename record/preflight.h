/* SPDX-License-Identifier: Apache-2.0 */
/*
 * preflight.h - what this host allows, asked before anything is touched.
 */
#ifndef REC_PREFLIGHT_H
#define REC_PREFLIGHT_H

#include <linux/capability.h>
#include <sys/resource.h>
#include "err.h"
#include "record_opts.h"

/* Newer than some headers: include/uapi/linux/capability.h, since 5.8 and 5.9. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

/* Inodes of the initial namespaces: include/linux/proc_ns.h, since 3.8. */
#define REC_PID_NS_INITIAL  0xEFFFFFFCu
#define REC_USER_NS_INITIAL 0xEFFFFFFDu

/* Whether path is the namespace of that inode; true on a kernel without such namespaces. */
bool rec_is_namespace(const char *path, uint64_t inode);

/*
 * Maps, programs, perf events and mapped files need descriptors: raises the limit if it is low.
 * *out_before is what it was, for the command that is recorded.
 */
int rec_raise_fd_limit(struct rlimit *out_before, struct owt_err *err) OWT_MUST_CHECK;

/*
 * 0, or a failure that names the first thing that is missing and its cure: privileges, BTF,
 * the command.
 */
int rec_preflight(const struct rec_opts *opts, struct owt_err *err) OWT_MUST_CHECK;

/* The effective capabilities, bits as in /proc/PID/status. err may be null. */
int rec_effective_caps(uint64_t *out, struct owt_err *err) OWT_MUST_CHECK;

/*
 * Which of the capabilities the recorder needs are not in the effective set cap_eff (bits as
 * in /proc/PID/status): their names, separated by blanks, in buf; "" when none is missing.
 */
void rec_missing_caps(uint64_t cap_eff, char *buf, size_t size);

#endif
