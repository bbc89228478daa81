/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - the cgroup (version 2) of --cgroup.
 */
#ifndef REC_CGROUP_H
#define REC_CGROUP_H

#include "base.h"
#include "err.h"

/* Zeroed: none was asked for. */
struct rec_cgroup {
	uint64_t id;	  /* the kernel's; the inode number of its directory */
	uint32_t level;	  /* how deep it lies below the root of the hierarchy, whose level is 0 */
	char *dir;	  /* its directory, owned */
	const char *path; /* from the root of the hierarchy, as in /proc/PID/cgroup; within dir */
};

/*
 * Looks for the cgroup that name stands for: a directory of it, or its path below the root of
 * the hierarchy with or without a slash before it.
 */
int rec_cgroup_find(const char *name, struct rec_cgroup *out, struct owt_err *err) OWT_MUST_CHECK;

/*
 * The mount point of the cgroup2 file system that holds dir, or without a dir the first one, in
 * the text of /proc/self/mountinfo; one whose root is not that of the hierarchy does not count.
 * Cut to size. False when there is none.
 */
bool rec_cgroup_mount(const char *mountinfo, const char *dir, char *buf, size_t size);

enum rec_population { REC_POPULATION_UNKNOWN, REC_EMPTY, REC_POPULATED, REC_REMOVED };

/* Whether there are processes in it or below, as far as it tells. */
enum rec_population rec_cgroup_population(const struct rec_cgroup *cgroup);

void rec_cgroup_done(struct rec_cgroup *cgroup);

#endif
