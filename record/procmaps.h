/* SPDX-License-Identifier: Apache-2.0 */
/*
 * procmaps.h - parsers for the texts of /proc/PID. Hostile: any process chooses its name and
 * the paths it maps.
 */
#ifndef REC_PROCMAPS_H
#define REC_PROCMAPS_H

#include "base.h"

/* One line of /proc/PID/maps. path points into the text and is not terminated. */
struct rec_map {
	uint64_t start, end, offset, inode;
	uint32_t major, minor;
	bool is_exec;
	const char *path; /* as the kernel escapes it; may end in " (deleted)" */
	size_t path_len;
};

/*
 * Takes the line at *pos and advances behind it. 1 and *out_map, 0 at the end of the text, or
 * -EINVAL for a line of another shape (it is skipped: *pos stands behind it).
 */
int rec_maps_next(const char **pos, const char *end, struct rec_map *out_map) OWT_MUST_CHECK;

/*
 * Undoes the one escape that the kernel makes in /proc/PID/maps, \012 for a newline
 * (fs/proc/task_mmu.c; a backslash itself stays as it is), in len bytes of path into out,
 * cutting it at cap bytes. Returns the bytes written.
 */
size_t rec_maps_unescape(const char *path, size_t len, char *out, size_t cap);

/*
 * Field 22 of /proc/PID/stat, start time in clock ticks since boot. The name in field 2 may
 * hold blanks and parentheses: the last ')' ends it. 0 or -EINVAL.
 */
int rec_stat_start_ticks(const char *text, size_t len, uint64_t *out_ticks) OWT_MUST_CHECK;

#endif
