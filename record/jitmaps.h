/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jitmaps.h - names of code that processes made at run time, as they write them themselves to
 * /tmp/perf-PID.map, in their own mount and PID namespace.
 */
#ifndef REC_JITMAPS_H
#define REC_JITMAPS_H

#include "base.h"
#include "err.h"
#include "naming.h"
#include "writer.h"

#define REC_JITMAPS_MAX 256 /* open at once */

struct rec_jitmaps;

/* The writer must outlive it. */
int rec_jitmaps_new(struct owt_writer *w, struct rec_jitmaps **out) OWT_MUST_CHECK;

/*
 * A stack of the process holds an address that no file covers. start_ns, since boot, tells it
 * from others with its tgid, unless it is 0; process is its id in the recording. Its map is opened when that is so for the first time. 0 or -ENOMEM.
 */
int rec_jitmaps_touch(struct rec_jitmaps *j, uint32_t tgid, uint64_t start_ns, uint32_t process,
		      uint64_t addr) OWT_MUST_CHECK;

/* Records the functions that cover what was touched, as far as the maps name them. */
int rec_jitmaps_write_symbols(struct rec_jitmaps *j, struct rec_naming *naming,
			      struct owt_err *err) OWT_MUST_CHECK;

void rec_jitmaps_free(struct rec_jitmaps *j);

/* One line of such a map, "START SIZE NAME" in hex. name points into the text. */
struct rec_jitsym {
	uint64_t addr, size;
	const char *name;
	size_t name_len;
};

/* As rec_maps_next(): 1 and *out, 0 at the end, -EINVAL for a line of another shape. */
int rec_jitmap_next(const char **pos, const char *end, struct rec_jitsym *out) OWT_MUST_CHECK;

#endif
