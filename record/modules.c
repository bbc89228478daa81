/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file has two names here: device, inode and path, as /proc/PID/maps gives them, and
 * build-id and path, as the kernel's mapping events do. Both lead to one place.
 *
 * Descriptors are few: a hand goes round and closes that of a file which was not used since it
 * last came by. If functions of that are still to be named, all that are known so far are named
 * first.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "clock.h"
#include "elfhead.h"
#include "elfnames.h"
#include "intern.h"
#include "jitmaps.h"
#include "layout.h"
#include "modules.h"
#include "openfile.h"

#define VDSO_NAME  "[vdso]"
#define FDS_SPARED 128u /* of the limit: for everything but modules */
#define LOOKS_MAX  64u	/* for the file of one module */
#define FDS_MAX	   8192u
#define NAMING_NS  2000000000ull /* amid a recording, while nothing is drained */
#define KEY_MAX	   (PATH_MAX + 2 * OWT_BUILD_ID_MAX + 64)

struct module {
	struct owt_module about; /* path is set when it is defined */
	char *path;
	size_t path_len;
	int fd;		     /* -1: not open */
	unsigned looks;	     /* for its file, in vain */
	bool was_open;	     /* and was closed for want of descriptors */
	bool is_used;	     /* since the hand came by */
	uint32_t last_touch; /* its number among all touches */
	uint32_t id;	     /* in the recording; 0 until it is defined */
};

struct rec_modules {
	struct owt_writer *writer;
	struct owt_strings keys; /* key n leads to the place key_places[n - 1] */
	uint32_t *key_places;
	size_t key_cap;
	struct module *items;
	size_t cnt, cap;
	struct owt_pairs touched; /* (place, address in the file's terms) */
	size_t fd_cnt, fd_max;
	struct elw_namer *namer; /* null: none is named before the end */
	size_t hand;
	uint32_t named_cnt; /* touches up to this number are named */
	uint64_t unread_cnt;
};

struct key {
	char bytes[KEY_MAX];
	size_t len;
};

int rec_modules_new(struct owt_writer *w, struct rec_modules **out)
{
	struct rec_modules *m = calloc(1, sizeof(*m));
	struct rlimit fds;
	size_t spared;

	if (!m)
		return -ENOMEM;
	m->writer = w;
	if (owt_strings_init(&m->keys) || owt_pairs_init(&m->touched)) {
		rec_modules_free(m);
		return -ENOMEM;
	}
	spared = FDS_SPARED + REC_JITMAPS_MAX + (size_t)sysconf(_SC_NPROCESSORS_CONF);
	if (!getrlimit(RLIMIT_NOFILE, &fds) && fds.rlim_cur > spared)
		m->fd_max = (size_t)fds.rlim_cur - spared;
	if (m->fd_max > FDS_MAX)
		m->fd_max = FDS_MAX;
	*out = m;
	return 0;
}

/* --- keys -------------------------------------------------------------------------------- */

/* The path without what /proc says of its fate. */
static size_t lasting_len(const struct rec_map *map)
{
	static const char deleted[] = " (deleted)";
	size_t tail = sizeof(deleted) - 1;

	if (map->path_len > tail && !memcmp(map->path + map->path_len - tail, deleted, tail))
		return map->path_len - tail;
	return map->path_len;
}

static void end_key(struct key *key, int len, const struct rec_map *map)
{
	size_t path_len = lasting_len(map);

	key->len = (size_t)len;
	if (path_len > sizeof(key->bytes) - key->len)
		path_len = sizeof(key->bytes) - key->len;
	memcpy(key->bytes + key->len, map->path, path_len);
	key->len += path_len;
}

static void inode_key(struct key *key, const struct rec_map *map)
{
	end_key(key,
		snprintf(key->bytes, sizeof(key->bytes), "%x:%x:%" PRIu64 ":", map->major,
			 map->minor, map->inode),
		map);
}

static void build_key(struct key *key, const struct rec_map *map, const uint8_t *id, size_t len)
{
	int n = 0;

	for (size_t i = 0; i < len && i < OWT_BUILD_ID_MAX; i++)
		n += snprintf(key->bytes + n, 3, "%02x", id[i]);
	key->bytes[n++] = '=';
	end_key(key, n, map);
}

static uint32_t place_of(const struct rec_modules *m, const struct key *key)
{
	uint32_t n = owt_strings_find(&m->keys, key->bytes, key->len);

	return n ? m->key_places[n - 1] : 0;
}

static int add_key(struct rec_modules *m, const struct key *key, uint32_t place)
{
	if (owt_strings_find(&m->keys, key->bytes, key->len))
		return 0;
	if (m->keys.cnt == m->key_cap) {
		size_t cap = m->key_cap ? m->key_cap * 2 : 256;
		uint32_t *more = reallocarray(m->key_places, cap, sizeof(*more));

		if (!more)
			return -ENOMEM;
		m->key_places = more;
		m->key_cap = cap;
	}
	m->key_places[m->keys.cnt] = place;
	return owt_strings_add(&m->keys, key->bytes, key->len);
}

/* --- files ------------------------------------------------------------------------------- */

static int open_by_path(int proc_fd, const struct rec_map *map)
{
	char path[PATH_MAX];
	size_t len = lasting_len(map);
	int root, fd;

	if (!len || map->path[0] != '/' || len >= sizeof(path))
		return -1;
	memcpy(path, map->path, len);
	path[len] = '\0';
	if (proc_fd < 0)
		return rec_open_regular(AT_FDCWD, path);
	root = openat(proc_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return rec_open_regular(AT_FDCWD, path);
	fd = rec_open_in_root(root, path);
	close(root);
	return fd;
}

static int open_mapped(int proc_fd, const struct rec_map *map)
{
	char path[64];

	if (map->path_len == strlen(VDSO_NAME) && !memcmp(map->path, VDSO_NAME, map->path_len))
		return rec_open_vdso((size_t)(map->end - map->start));
	snprintf(path, sizeof(path), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	return proc_fd < 0 ? -1 : rec_open_regular(proc_fd, path);
}

struct identity {
	const uint8_t *build_id; /* null where the kernel told the inode only */
	size_t len;
};

/* Whether what lies at a mapping's place now has the same path. */
static bool has_same_path(int proc_fd, const struct rec_map *map)
{
	char name[64], path[PATH_MAX];
	struct rec_map now = { .path = path };
	ssize_t len;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	len = readlinkat(proc_fd, name, path, sizeof(path));
	now.path_len = len > 0 ? (size_t)len : 0;
	return len > 0 && lasting_len(&now) == lasting_len(map) &&
	       !memcmp(path, map->path, lasting_len(map));
}

/*
 * Whether the file is the mapped one: by its build-id, else its inode. Layered file systems have
 * two inodes a file; then the path decides, at the mapping's place only. An event is a moment
 * old, and another file may lie there.
 */
static bool is_mapped_file(int fd, int proc_fd, const struct rec_map *map,
			   const struct owt_module *found, const struct identity *id,
			   bool at_its_place)
{
	struct stat st;

	if (id->len)
		return found->build_id_len == id->len &&
		       !memcmp(found->build_id, id->build_id, id->len);
	if (map->path[0] != '/')
		return at_its_place; /* the vDSO */
	return (map->inode && !fstat(fd, &st) && st.st_ino == map->inode) ||
	       (at_its_place && has_same_path(proc_fd, map));
}

/* Reads of the file what the recording will say of it, if it is the right one. */
static bool accept(struct rec_modules *m, struct module *module, int fd, int proc_fd,
		   const struct rec_map *map, const struct identity *id, bool at_its_place)
{
	struct owt_module about = { .path = 0 };

	if (fd < 0)
		return false;
	rec_elf_read(fd, &about);
	if (!is_mapped_file(fd, proc_fd, map, &about, id, at_its_place)) {
		close(fd);
		return false;
	}
	module->about = about;
	if (module->about.segment_cnt && m->fd_cnt < m->fd_max) {
		module->fd = fd;
		module->is_used = true;
		m->fd_cnt++;
	} else {
		close(fd);
	}
	return true;
}

static void look_into(struct rec_modules *m, struct module *module, int proc_fd,
		      const struct rec_map *map, const struct identity *id)
{
	module->fd = -1;
	if (!accept(m, module, open_mapped(proc_fd, map), proc_fd, map, id, true) &&
	    !accept(m, module, open_by_path(proc_fd, map), proc_fd, map, id, false) && id->len &&
	    id->len <= OWT_BUILD_ID_MAX) {
		module->about.build_id_len = (uint8_t)id->len;
		memcpy(module->about.build_id, id->build_id, id->len);
	}
}

/* A file without a path is found only while it is mapped: at one of several mappings, perhaps. */
static void look_again(struct rec_modules *m, struct module *module, int proc_fd,
		       const struct rec_map *map, const struct identity *id)
{
	if (module->id || module->about.segment_cnt || map->path[0] != '/' ||
	    module->looks == LOOKS_MAX)
		return;
	module->looks++;
	(void)accept(m, module, open_mapped(proc_fd, map), proc_fd, map, id, true);
}

/* The first the hand comes to that was not used since it came by; null when none is open. */
static struct module *least_used(struct rec_modules *m)
{
	for (size_t n = 0; n < 2 * m->cnt; n++) {
		struct module *module = &m->items[m->hand++ % m->cnt];

		if (module->fd >= 0 && !module->is_used)
			return module;
		module->is_used = false;
	}
	return NULL;
}

/* Names all that stacks touched so far, lest a file that is closed be needed again. */
static int name_early(struct rec_modules *m, struct owt_err *err)
{
	struct rec_naming naming = { .namer = m->namer,
				     .patience = { .until_ns = rec_monotonic_ns() + NAMING_NS,
						   .wake_fd = -1 } };
	int ret = m->namer ? rec_modules_write_symbols(m, &naming, err) : 0;

	m->unread_cnt += naming.left_cnt;
	return ret;
}

/* A descriptor for one more, if it can be had. */
static int make_room(struct rec_modules *m, struct owt_err *err)
{
	struct module *module = m->fd_cnt < m->fd_max ? NULL : least_used(m);
	int ret = 0;

	if (!module)
		return 0;
	if (module->last_touch > m->named_cnt)
		ret = name_early(m, err);
	close(module->fd);
	module->fd = -1;
	module->was_open = true;
	m->fd_cnt--;
	return ret;
}

/* One that was closed may still be where it was. */
static bool reopen(struct rec_modules *m, struct module *module)
{
	const struct owt_module *was = &module->about;
	struct owt_module is = { .path = 0 };
	int fd;

	if (!module->was_open || make_room(m, NULL) || m->fd_cnt >= m->fd_max)
		return false;
	fd = rec_open_regular(AT_FDCWD, module->path);
	if (fd >= 0)
		rec_elf_read(fd, &is);
	if (fd < 0 || !was->build_id_len || is.build_id_len != was->build_id_len ||
	    memcmp(is.build_id, was->build_id, was->build_id_len) != 0) {
		if (fd >= 0)
			close(fd);
		module->was_open = false;
		m->unread_cnt++;
		return false;
	}
	module->fd = fd;
	m->fd_cnt++;
	return true;
}

static int add_module(struct rec_modules *m, int proc_fd, const struct rec_map *map,
		      const uint8_t *build_id, size_t build_id_len)
{
	struct module *module;

	if (m->cnt == m->cap) {
		size_t cap = m->cap ? m->cap * 2 : 64;
		struct module *more = reallocarray(m->items, cap, sizeof(*more));

		if (!more)
			return -ENOMEM;
		m->items = more;
		m->cap = cap;
	}
	module = &m->items[m->cnt];
	*module = (struct module){ .path = strndup(map->path, map->path_len) };
	if (!module->path)
		return -ENOMEM;
	module->path_len = map->path_len < PATH_MAX ? map->path_len : PATH_MAX - 1;
	look_into(m, module, proc_fd, map, &(struct identity){ build_id, build_id_len });
	m->cnt++;
	return 0;
}

int rec_modules_find(struct rec_modules *m, int proc_fd, const struct rec_map *map,
		     const uint8_t *build_id, size_t build_id_len, uint32_t *out_place,
		     struct owt_err *err)
{
	const struct owt_module *about;
	struct key key;
	uint32_t place;
	int ret;

	*out_place = 0;
	if (!map->path_len)
		return 0;
	if (build_id_len)
		build_key(&key, map, build_id, build_id_len);
	else
		inode_key(&key, map);
	place = place_of(m, &key);
	if (place) {
		look_again(m, &m->items[place - 1], proc_fd, map,
			   &(struct identity){ build_id, build_id_len });
		*out_place = place;
		return 0;
	}
	ret = make_room(m, err);
	if (ret)
		return ret;
	ret = add_module(m, proc_fd, map, build_id, build_id_len);
	if (!ret)
		ret = add_key(m, &key, (uint32_t)m->cnt);
	about = ret ? NULL : &m->items[m->cnt - 1].about;
	if (about && !build_id_len && about->build_id_len) {
		build_key(&key, map, about->build_id, about->build_id_len);
		ret = add_key(m, &key, (uint32_t)m->cnt);
	}
	if (ret)
		return owt_fail(err, ret, "out of memory");
	*out_place = (uint32_t)m->cnt;
	return 0;
}

struct owt_string rec_modules_path(const struct rec_modules *m, uint32_t place)
{
	if (!place)
		return (struct owt_string){ "", 0 };
	return (struct owt_string){ m->items[place - 1].path, m->items[place - 1].path_len };
}

bool rec_modules_is_file(const struct rec_modules *m, uint32_t place)
{
	return place && m->items[place - 1].about.segment_cnt;
}

int rec_modules_define(struct rec_modules *m, uint32_t place, uint32_t *out_id, struct owt_err *err)
{
	struct module *module;
	int ret = 0;

	*out_id = 0;
	if (!place)
		return 0;
	module = &m->items[place - 1];
	if (!module->id) {
		ret = owt_writer_string(m->writer, module->path, module->path_len,
					&module->about.path, err);
		if (!ret)
			ret = owt_writer_module(m->writer, &module->about, &module->id, err);
	}
	*out_id = module->id;
	return ret;
}

/* --- functions --------------------------------------------------------------------------- */

int rec_modules_touch(struct rec_modules *m, uint32_t place, uint64_t offset)
{
	struct module *module = place ? &m->items[place - 1] : NULL;
	uint64_t vaddr;

	if (!module || (module->fd < 0 && !module->was_open))
		return 0;
	vaddr = owt_module_vaddr(&module->about, offset);
	module->is_used = true;
	if (owt_pairs_find(&m->touched, place, vaddr) || (module->fd < 0 && !reopen(m, module)))
		return 0;
	if (owt_pairs_add(&m->touched, place, vaddr))
		return -ENOMEM;
	module->last_touch = m->touched.cnt;
	return 0;
}

struct touch {
	uint32_t place;
	uint64_t vaddr;
};

static int by_place(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;
	int order = owt_cmp_u64(x->place, y->place);

	return order ? order : owt_cmp_u64(x->vaddr, y->vaddr);
}

struct symbols_job {
	struct rec_modules *m;
	uint32_t module; /* id in the recording */
	uint64_t last_addr;
	bool any;
	struct owt_err *err;
};

/* Addresses ascend, so those of one function come together. */
static int take_symbol(void *ctx, size_t index, const struct elw_symbol *sym)
{
	struct symbols_job *job = ctx;
	struct owt_symbol out = { .module = job->module,
				  .addr = sym->addr,
				  .size = sym->size,
				  .name = { sym->name, sym->len < OWT_SYMBOL_NAME_MAX
							       ? sym->len
							       : OWT_SYMBOL_NAME_MAX } };

	(void)index;
	if (job->any && job->last_addr == sym->addr)
		return 0;
	job->any = true;
	job->last_addr = sym->addr;
	return owt_writer_symbol(job->m->writer, &out, job->err);
}

static int write_module_symbols(struct rec_modules *m, uint32_t place, const uint64_t *vaddrs,
				size_t cnt, struct rec_naming *naming, struct owt_err *err)
{
	struct symbols_job job = { .m = m, .err = err };
	struct elw_request request = { .vaddrs = vaddrs, .vaddr_cnt = cnt };
	enum elw_outcome outcome;
	int ret;

	if (rec_naming_is_over(naming)) {
		naming->left_cnt++;
		return 0;
	}
	ret = rec_modules_define(m, place, &job.module, err);
	/* a file that cannot be parsed has no symbols here; the reader may still have it */
	if (!ret)
		ret = elw_namer_names(naming->namer, m->items[place - 1].fd, &request,
				      &naming->patience, take_symbol, &job, &outcome);
	if (ret == -ETIMEDOUT) {
		naming->patience.until_ns = 0;
		naming->left_cnt++;
		return 0;
	}
	return rec_naming_leave_at_limit(naming, ret, err);
}

int rec_modules_write_symbols(struct rec_modules *m, struct rec_naming *naming, struct owt_err *err)
{
	size_t cnt = m->touched.cnt, n = 0, end;
	struct touch *touches = reallocarray(NULL, cnt + 1, sizeof(*touches));
	uint64_t *vaddrs = reallocarray(NULL, cnt + 1, sizeof(*vaddrs));
	int ret = 0;

	if (!touches || !vaddrs) {
		ret = owt_fail(err, -ENOMEM, "out of memory");
		goto out;
	}
	for (size_t i = 0; i < m->touched.slot_cnt && n < cnt; i++)
		if (m->touched.slots[i].id > m->named_cnt)
			touches[n++] = (struct touch){ (uint32_t)m->touched.slots[i].a,
						       m->touched.slots[i].b };
	qsort(touches, n, sizeof(*touches), by_place);
	for (size_t i = 0; i < n; i++)
		vaddrs[i] = touches[i].vaddr;
	for (size_t i = 0; i < n && !ret; i = end) {
		for (end = i; end < n && touches[end].place == touches[i].place; end++)
			;
		ret = write_module_symbols(m, touches[i].place, vaddrs + i, end - i, naming, err);
	}
	m->named_cnt = m->touched.cnt;
out:
	free(touches);
	free(vaddrs);
	return ret;
}

void rec_modules_name_early(struct rec_modules *m, struct elw_namer *namer)
{
	m->namer = namer;
}

uint64_t rec_modules_unread(const struct rec_modules *m)
{
	return m->unread_cnt;
}

void rec_modules_free(struct rec_modules *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->cnt; i++) {
		if (m->items[i].fd >= 0)
			close(m->items[i].fd);
		free(m->items[i].path);
	}
	free(m->items);
	free(m->key_places);
	owt_strings_done(&m->keys);
	owt_pairs_done(&m->touched);
	free(m);
}
