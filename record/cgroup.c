/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel programs know a cgroup by its id and look for it at one level of a thread's
 * ancestors, so that descendants that are made later belong to it. The level is counted in the
 * path from the root of the hierarchy: that root has to be in sight.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "cgroup.h"
#include "preflight.h"
#include "slurp.h"

#define MOUNTINFO     "/proc/self/mountinfo"
#define MOUNTINFO_MAX (16u << 20)
#define EVENTS_MAX    4096u
#define NS_INITIAL    0xEFFFFFFBu /* include/linux/proc_ns.h, since 4.6 */

/* --- mounts ------------------------------------------------------------------------------- */

struct mount {
	const char *root, *point; /* still escaped */
	size_t root_len, point_len;
	bool is_cgroup2;
};

static size_t word_len(const char *at)
{
	return strcspn(at, " \n");
}

static const char *skip_words(const char *at, unsigned cnt)
{
	while (cnt--) {
		at += word_len(at);
		at += *at == ' ';
	}
	return at;
}

/* "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw" */
static struct mount mount_of(const char *line)
{
	struct mount m = { .root = skip_words(line, 3) };
	const char *at;

	m.root_len = word_len(m.root);
	m.point = skip_words(m.root, 1);
	m.point_len = word_len(m.point);
	for (at = m.point; *at && *at != '\n'; at = skip_words(at, 1))
		if (!strncmp(at, "- cgroup2 ", strlen("- cgroup2 ")))
			m.is_cgroup2 = true;
	return m;
}

/* Undoes \ooo (fs/proc_namespace.c, mangle()). */
static void unescape(const char *from, size_t len, char *buf, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; n++) {
		unsigned byte = 0, digits = 0;

		if (from[i] == '\\')
			while (digits < 3 && i + 1 + digits < len && from[i + 1 + digits] >= '0' &&
			       from[i + 1 + digits] <= '7')
				byte = byte * 8 + (unsigned)(from[i + 1 + digits++] - '0');
		buf[n] = digits == 3 ? (char)byte : from[i];
		i += digits == 3 ? 4 : 1;
	}
	buf[n] = '\0';
}

static bool holds(const char *point, const char *dir)
{
	size_t len = strlen(point);

	if (!strcmp(point, "/"))
		return true;
	return !strncmp(point, dir, len) && (!dir[len] || dir[len] == '/');
}

bool rec_cgroup_mount(const char *mountinfo, const char *dir, char *buf, size_t size)
{
	char point[PATH_MAX], best[PATH_MAX] = "";

	for (const char *line = mountinfo; *line; line += *line == '\n') {
		struct mount m = mount_of(line);

		line = strchrnul(line, '\n');
		if (!m.is_cgroup2 || m.root_len != 1 || *m.root != '/')
			continue;
		unescape(m.point, m.point_len, point, sizeof(point));
		if (dir ? holds(point, dir) && strlen(point) >= strlen(best) : !*best)
			strcpy(best, point);
	}
	if (*best)
		snprintf(buf, size, "%s", best);
	return *best;
}

/* --- one cgroup --------------------------------------------------------------------------- */

static uint32_t level_of(const char *path)
{
	uint32_t level = 0;

	for (; *path; path++)
		level += path[0] == '/' && path[1] && path[1] != '/';
	return level;
}

static bool is_on(const char *dir, long magic)
{
	struct statfs fs;

	return !statfs(dir, &fs) && fs.f_type == magic;
}

/* The directory of it, made absolute: the caller's to free. Null, and errno, without one. */
static char *dir_below(const char *mount, const char *name)
{
	char *below, *dir;

	if (asprintf(&below, "%s/%s", mount, name) < 0)
		return NULL;
	dir = realpath(below, NULL);
	free(below);
	return dir;
}

static int find_dir(const char *name, const char *mount, char **out_dir, struct owt_err *err)
{
	char *dir = *name == '/' ? realpath(name, NULL) : NULL;
	bool is_v1 = dir && is_on(dir, CGROUP_SUPER_MAGIC);

	if (!dir || !is_on(dir, CGROUP2_SUPER_MAGIC)) {
		free(dir);
		dir = dir_below(mount, name);
	}
	if (!dir && is_v1)
		return owt_fail(err, -OWT_E_UNAVAILABLE,
				"%.200s is a cgroup of version 1: --cgroup takes those of version "
				"2, which are below %.200s here",
				name, mount);
	if (!dir)
		return owt_fail(err, -ENOENT, "there is no cgroup %.200s below %.200s: %s", name,
				mount, strerror(errno));
	*out_dir = dir;
	return 0;
}

static int look_at(const char *mountinfo, char *dir, struct rec_cgroup *out, struct owt_err *err)
{
	char mount[PATH_MAX];
	struct stat st;

	if (stat(dir, &st))
		return owt_fail(err, -errno, "%.200s: %s", dir, strerror(errno));
	if (!S_ISDIR(st.st_mode) || !is_on(dir, CGROUP2_SUPER_MAGIC))
		return owt_fail(err, -ENOTDIR, "%.200s is no directory of a cgroup", dir);
	if (!rec_cgroup_mount(mountinfo, dir, mount, sizeof(mount)))
		return owt_fail(err, -OWT_E_UNAVAILABLE,
				"the root of the cgroups that hold %.200s is not mounted", dir);
	*out = (struct rec_cgroup){ .id = st.st_ino, .dir = dir };
	out->path = dir + (strcmp(mount, "/") ? strlen(mount) : 0);
	out->level = level_of(out->path);
	if (!*out->path)
		out->path = "/";
	return 0;
}

static int find_in(const char *mountinfo, const char *name, struct rec_cgroup *out,
		   struct owt_err *err)
{
	char mount[PATH_MAX], *dir = NULL;
	int ret;

	if (!rec_cgroup_mount(mountinfo, NULL, mount, sizeof(mount)))
		return owt_fail(err, -OWT_E_UNAVAILABLE,
				"--cgroup needs cgroups of version 2, and none are mounted here: "
				"mount -t cgroup2 none DIRECTORY shows those there are");
	ret = find_dir(name, mount, &dir, err);
	if (ret)
		return ret;
	ret = look_at(mountinfo, dir, out, err);
	if (ret)
		free(dir);
	return ret;
}

int rec_cgroup_find(const char *name, struct rec_cgroup *out, struct owt_err *err)
{
	char *mountinfo;
	size_t len;
	int ret;

	if (!rec_is_namespace("/proc/self/ns/cgroup", NS_INITIAL))
		return owt_fail(err, -OWT_E_UNAVAILABLE,
				"this is a cgroup namespace of its own (a container, perhaps), "
				"where the root of all cgroups is out of sight: use --cgroup on "
				"the host, or give the container the host's (--cgroupns=host)");
	ret = rec_slurp(AT_FDCWD, MOUNTINFO, MOUNTINFO_MAX, &mountinfo, &len);
	if (ret)
		return owt_fail(err, ret, "cannot read " MOUNTINFO ": %s", owt_strerror(ret));
	ret = find_in(mountinfo, name, out, err);
	free(mountinfo);
	return ret;
}

enum rec_population rec_cgroup_population(const struct rec_cgroup *cgroup)
{
	enum rec_population found = REC_POPULATION_UNKNOWN;
	char path[PATH_MAX], *text;
	size_t len;

	if (access(cgroup->dir, F_OK))
		return REC_REMOVED;
	snprintf(path, sizeof(path), "%s/cgroup.events", cgroup->dir);
	/* the root has no such file */
	if (rec_slurp(AT_FDCWD, path, EVENTS_MAX, &text, &len))
		return found;
	if (strstr(text, "populated 0"))
		found = REC_EMPTY;
	else if (strstr(text, "populated 1"))
		found = REC_POPULATED;
	free(text);
	return found;
}

void rec_cgroup_done(struct rec_cgroup *cgroup)
{
	free(cgroup->dir);
	*cgroup = (struct rec_cgroup){ 0 };
}
