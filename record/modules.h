/* SPDX-License-Identifier: Apache-2.0 */
/*
 * modules.h - mapped files: opened when first seen, described in the recording when first
 * needed, and at the end asked for the functions that stacks touched.
 *
 * A module is known by its place, from 1; 0 is anonymous memory without a name.
 */
#ifndef REC_MODULES_H
#define REC_MODULES_H

#include "base.h"
#include "err.h"
#include "naming.h"
#include "procmaps.h"
#include "writer.h"

struct rec_modules;

/* The writer must outlive the table. */
int rec_modules_new(struct owt_writer *w, struct rec_modules **out) OWT_MUST_CHECK;

/*
 * The module of a mapping, whose path is not escaped any more. proc_fd is its process'
 * /proc/PID, or -1 when that is gone; build_id is null when only the inode is known.
 *
 * The file is reached through /proc/PID/map_files, so that deleted, replaced and container
 * files are the right ones; failing that by its path, if it proves to be the same file. Only
 * regular files are opened. Their descriptors are kept, up to a number: beyond it, those not
 * used lately are closed. A file that can't be opened is recorded by its path and build-id
 * alone.
 */
int rec_modules_find(struct rec_modules *m, int proc_fd, const struct rec_map *map,
		     const uint8_t *build_id, size_t build_id_len, uint32_t *out_place,
		     struct owt_err *err) OWT_MUST_CHECK;

/* The path of a module, "" for place 0; not terminated. */
struct owt_string rec_modules_path(const struct rec_modules *m, uint32_t place);

/* Whether its content could be had: files, and the vDSO. */
bool rec_modules_is_file(const struct rec_modules *m, uint32_t place);

/* Its id in the recording, where it is described at the first call. */
int rec_modules_define(struct rec_modules *m, uint32_t place, uint32_t *out_id,
		       struct owt_err *err) OWT_MUST_CHECK;

/* A stack holds an address at this offset of the file. 0 or -ENOMEM. */
int rec_modules_touch(struct rec_modules *m, uint32_t place, uint64_t offset) OWT_MUST_CHECK;

/*
 * Who names the functions of files that are closed before the end, because descriptors are
 * short. Must outlive the table.
 */
void rec_modules_name_early(struct rec_modules *m, struct elw_namer *namer);

/* Files that were closed early, and could not be read when they were needed. */
uint64_t rec_modules_unread(const struct rec_modules *m);

/* Records the functions that cover what was touched, as far as there is time. */
int rec_modules_write_symbols(struct rec_modules *m, struct rec_naming *naming,
			      struct owt_err *err) OWT_MUST_CHECK;

void rec_modules_free(struct rec_modules *m);

#endif
