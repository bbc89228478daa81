/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "elfhead.h"
#include "intern.h"
#include "modules.h"

#define VDSO_NAME      "[vdso]"
#define VDSO_BYTES_MAX (64u << 10)

struct rec_modules {
	struct owt_writer *writer;
	struct owt_strings keys; /* device, inode and path; ids run with the modules' */
};

int rec_modules_new(struct owt_writer *w, struct rec_modules **out)
{
	struct rec_modules *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->writer = w;
	err = owt_strings_init(&m->keys);
	if (err) {
		free(m);
		return err;
	}
	*out = m;
	return 0;
}

/* Opened first without access, so that a device or FIFO is never opened for real. */
static int open_regular(int dirfd, const char *path)
{
	int fd = openat(dirfd, path, O_PATH | O_CLOEXEC), real = -1;
	char again[32];
	struct stat st;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
		real = open(again, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	close(fd);
	return real;
}

/* All processes of one kernel share the vDSO: ours stands for every one of this class. */
static int open_vdso(size_t bytes)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT: an address */
	int fd;

	if (!vdso || bytes > VDSO_BYTES_MAX)
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, vdso, bytes) != (ssize_t)bytes) {
		close(fd);
		return -1;
	}
	return fd;
}

static int open_mapped(int proc_fd, const struct rec_map *map)
{
	char path[64];

	if (map->path_len == strlen(VDSO_NAME) && !memcmp(map->path, VDSO_NAME, map->path_len))
		return open_vdso((size_t)(map->end - map->start));
	if (!map->inode)
		return -1;
	snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	return open_regular(proc_fd, path);
}

static int define(struct rec_modules *m, int proc_fd, const struct rec_map *map, uint32_t *out_id,
		  struct owt_err *err)
{
	struct owt_module module = {0};
	char path[PATH_MAX];
	size_t len = rec_maps_unescape(map->path, map->path_len, path, sizeof(path));
	int fd, ret;

	ret = owt_writer_string(m->writer, path, len, &module.path, err);
	if (ret)
		return ret;
	fd = open_mapped(proc_fd, map);
	if (fd >= 0) {
		rec_elf_read(fd, &module);
		close(fd);
	}
	return owt_writer_module(m->writer, &module, out_id, err);
}

int rec_modules_of(struct rec_modules *m, int proc_fd, const struct rec_map *map, uint32_t *out_id,
		   struct owt_err *err)
{
	char key[PATH_MAX + 64];
	uint32_t id;
	int len, ret;

	if (!map->path_len) {
		*out_id = 0;
		return 0;
	}
	len = snprintf(key, sizeof(key), "%x:%x:%" PRIu64 ":%.*s", map->major, map->minor,
		       map->inode, (int)(map->path_len < PATH_MAX ? map->path_len : PATH_MAX - 1),
		       map->path);
	id = owt_strings_find(&m->keys, key, (size_t)len);
	if (id) {
		*out_id = id;
		return 0;
	}
	ret = define(m, proc_fd, map, &id, err);
	if (ret)
		return ret;
	ret = owt_strings_add(&m->keys, key, (size_t)len);
	if (ret)
		return owt_fail(err, ret, "out of memory");
	*out_id = id;
	return 0;
}

void rec_modules_free(struct rec_modules *m)
{
	if (!m)
		return;
	owt_strings_done(&m->keys);
	free(m);
}
