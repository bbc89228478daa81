/* SPDX-License-Identifier: Apache-2.0 */
/* paths: each sleep below another way through the same functions, to fill tables with. */
#include <sys/prctl.h>
#include "rawsys.h"
#include "truth.h"
#include "wl.h"

#define DEPTH 24 /* bits of a path */

struct paths {
	struct truth_board *board;
	struct truth_role *role;
	uint64_t sleeps, first;
};

static OW_NOINLINE void ow_path_left(uint64_t path, unsigned depth);

static OW_NOINLINE void ow_path_right(uint64_t path, unsigned depth)
{
	OW_FRAME();
	if (!depth)
		ow_sleep_ns(20000);
	else if (path & 1)
		ow_path_left(path >> 1, depth - 1);
	else
		ow_path_right(path >> 1, depth - 1);
	OW_KEEP();
}

static OW_NOINLINE void ow_path_left(uint64_t path, unsigned depth)
{
	OW_FRAME();
	if (!depth)
		ow_sleep_ns(20000);
	else if (path & 1)
		ow_path_left(path >> 1, depth - 1);
	else
		ow_path_right(path >> 1, depth - 1);
	OW_KEEP();
}

static OW_NOINLINE void *ow_paths_main(void *arg)
{
	const struct paths *paths = arg;
	struct truth_probe probe;

	prctl(PR_SET_TIMERSLACK, 1);
	truth_begin(paths->board, paths->role);
	for (uint64_t i = 0; i < paths->sleeps; i++) {
		truth_before(paths->role, &probe);
		ow_path_right(paths->first + i, DEPTH);
		truth_after(paths->role, &probe);
	}
	truth_park(paths->role);
}

void wl_paths(struct wl *wl)
{
	static const char *const names[] = { "ow-path-a", "ow-path-b" };

	for (uint64_t i = 0; i < 2; i++) {
		struct paths *paths = wl_shared(sizeof(*paths));

		paths->board = wl->board;
		paths->sleeps = wl_arg(wl, 0, 20000);
		paths->first = i << (DEPTH - 1);
		paths->role = truth_role_add(wl->board, names[i], "ow_path_right", "-", "-");
		wl_thread(ow_paths_main, paths);
	}
}
