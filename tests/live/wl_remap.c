/* SPDX-License-Identifier: Apache-2.0 */
/*
 * remap: two libraries that take turns at one address. Each in its turn sleeps, then wakes its own
 * victim, so that both the sleeps and the wakes of one address belong to two functions.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "wl.h"

enum how { BY_DLOPEN, BY_FIXED_MMAP, BY_MEMFD };

typedef void block_fn(uint64_t ns);
typedef void wake_fn(_Atomic int *word);

struct victim {
	struct truth_board *board;
	struct truth_role *role;
	_Atomic int word;
	int rounds;
};

struct text { /* the executable mapping of the library */
	char *start;
	size_t len;
	off_t offset;
};

struct remap {
	struct truth_board *board;
	struct truth_role *roles[2];
	struct victim victims[2];
	char paths[2][PATH_MAX];
	int fds[2];
	uint64_t rounds, ns;
	enum how how;
	void *handle;
	block_fn *block;
	wake_fn *wake;
	struct text text;
};

static _Noreturn void give_up(const char *what)
{
	fprintf(stderr, "remap: %s\n", what);
	_exit(1);
}

/* --- mapping ------------------------------------------------------------------------------ */

static void *function(void *handle, int which, const char *what)
{
	char name[64];
	void *fn;

	snprintf(name, sizeof(name), "ow_remap_%c_%s", 'a' + which, what);
	fn = dlsym(handle, name);
	if (!fn)
		give_up(dlerror());
	return fn;
}

static void open_library(struct remap *r, int which)
{
	void *block, *wake;

	r->handle = dlopen(r->paths[which], RTLD_NOW | RTLD_LOCAL);
	if (!r->handle)
		give_up(dlerror());
	block = function(r->handle, which, "block");
	wake = function(r->handle, which, "wake");
	if (r->block && memcmp(&r->block, &block, sizeof(block)))
		give_up("the libraries are not at one address");
	memcpy(&r->block, &block, sizeof(block));
	memcpy(&r->wake, &wake, sizeof(wake));
}

/* What of the address space the function lies in, by /proc/self/maps. */
static void find_text(struct remap *r)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset, at;
	char line[PATH_MAX + 128];

	memcpy(&at, &r->block, sizeof(at));
	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && at >= start &&
		    at < end) {
			memcpy(&r->text.start, &start, sizeof(start));
			r->text.len = end - start;
			r->text.offset = (off_t)offset;
		}
	if (!maps || !r->text.start)
		give_up("no text");
	fclose(maps);
}

static int in_memory(const char *path)
{
	char bytes[4096];
	FILE *file = fopen(path, "re");
	int fd = memfd_create("ow-remap", MFD_CLOEXEC);
	size_t n;

	if (!file || fd < 0)
		give_up(path);
	while ((n = fread(bytes, 1, sizeof(bytes), file)) > 0)
		if (write(fd, bytes, n) != (ssize_t)n)
			give_up("memfd");
	fclose(file);
	return fd;
}

static void map_library(struct remap *r, int which)
{
	if (r->how == BY_DLOPEN) {
		if (r->handle)
			dlclose(r->handle);
		open_library(r, which);
		return;
	}
	if (mmap(r->text.start, r->text.len, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED,
		 r->fds[which], r->text.offset) != r->text.start)
		give_up("mmap");
}

/* --- roles -------------------------------------------------------------------------------- */

static OW_NOINLINE void ow_victim_block(_Atomic int *word, int seen)
{
	OW_FRAME();
	while (atomic_load(word) == seen)
		ow_futex_wait(word, seen);
	OW_KEEP();
}

static OW_NOINLINE void *ow_victim_main(void *arg)
{
	struct victim *v = arg;
	struct truth_probe probe;

	truth_begin(v->board, v->role);
	for (int i = 0; i < v->rounds; i++) {
		truth_before(v->role, &probe);
		ow_victim_block(&v->word, i);
		truth_after(v->role, &probe);
	}
	truth_park(v->role);
}

static OW_NOINLINE void *ow_remap_main(void *arg)
{
	struct remap *r = arg;
	struct truth_probe probe;

	truth_also(r->roles[1]);
	truth_begin(r->board, r->roles[0]);
	for (uint64_t i = 0; i < r->rounds; i++) {
		struct truth_role *role = r->roles[i % 2];

		map_library(r, (int)(i % 2));
		truth_before(role, &probe);
		r->block(r->ns * (1 + i % 2));
		truth_after(role, &probe);
		r->wake(&r->victims[i % 2].word);
	}
	truth_exit(r->roles[1]);
	truth_park(r->roles[0]);
}

static void set_paths(struct remap *r)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len < 0)
		give_up("/proc/self/exe");
	self[len] = '\0';
	*strrchr(self, '/') = '\0';
	for (int i = 0; i < 2; i++)
		if (snprintf(r->paths[i], sizeof(r->paths[i]), "%s/remap-%c.so", self, 'a' + i) >=
		    (int)sizeof(r->paths[i]))
			give_up("the path is too long");
}

static void add_roles(struct remap *r)
{
	char name[32], sleeper[32], waker[32];

	for (int i = 0; i < 2; i++) {
		snprintf(sleeper, sizeof(sleeper), "ow_remap_%c_block", 'a' + i);
		r->roles[i] = truth_role_add(r->board, "ow-remap", sleeper, "-", "-");
		snprintf(name, sizeof(name), "ow-victim-%c", 'a' + i);
		snprintf(waker, sizeof(waker), "ow_remap_%c_wake", 'a' + i);
		r->victims[i].role = truth_role_add(r->board, name, "ow_victim_block", waker,
						    "ow-remap");
		r->victims[i].board = r->board;
		r->victims[i].rounds = (int)(r->rounds / 2);
	}
}

/* remap [ROUNDS [US [HOW]]]: 0 dlopen, 1 mmap over the other, 2 likewise, the second a memfd */
void wl_remap(struct wl *wl)
{
	struct remap *r = wl_shared(sizeof(*r));

	r->board = wl->board;
	r->rounds = wl_arg(wl, 0, 50) / 2 * 2;
	r->ns = wl_arg(wl, 1, 5000) * 1000;
	r->how = (enum how)wl_arg(wl, 2, BY_DLOPEN);
	set_paths(r);
	add_roles(r);
	if (r->how != BY_DLOPEN) {
		open_library(r, 0);
		find_text(r);
		r->fds[0] = open(r->paths[0], O_RDONLY | O_CLOEXEC);
		r->fds[1] = r->how == BY_MEMFD ? in_memory(r->paths[1])
					       : open(r->paths[1], O_RDONLY | O_CLOEXEC);
	}
	wl_thread(ow_victim_main, &r->victims[0]);
	wl_thread(ow_victim_main, &r->victims[1]);
	wl_thread(ow_remap_main, r);
}
