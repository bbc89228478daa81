/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modules.h - mapped files, each described once in the recording: path, build-id, segments.
 */
#ifndef REC_MODULES_H
#define REC_MODULES_H

#include "base.h"
#include "err.h"
#include "procmaps.h"
#include "writer.h"

struct rec_modules;

/* The writer must outlive the table. */
int rec_modules_new(struct owt_writer *w, struct rec_modules **out) OWT_MUST_CHECK;

/*
 * The module id of a mapping of the process whose /proc/PID is proc_fd; 0 for anonymous
 * memory without a name. The file is reached through /proc/PID/map_files, so that deleted,
 * replaced and container files are the right ones, and opened only if it is a regular file;
 * one that can't be opened is recorded by its path alone.
 */
int rec_modules_of(struct rec_modules *m, int proc_fd, const struct rec_map *map, uint32_t *out_id,
		   struct owt_err *err) OWT_MUST_CHECK;

void rec_modules_free(struct rec_modules *m);

#endif
