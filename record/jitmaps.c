/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A map belongs to whoever writes it, and lies in a directory that all may write to: it is
 * read only if it is a regular file that the process' own user, or root, owns. Its descriptor
 * is kept, so that the names survive the process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "intern.h"
#include "jitmaps.h"
#include "openfile.h"
#include "parse.h"
#include "procmaps.h"
#include "slurp.h"

#define MAP_BYTES_MAX	 (64u << 20)
#define STATUS_BYTES_MAX 65536u
#define FORK_NS_MAX	 500000000ull /* between a process' start and the event that tells of it */
#define MAPS_MAX	 REC_JITMAPS_MAX
#define COVERS_MAX	 (16u << 20) /* of one map: each of its lines may cover all touches */

struct jitmap {
	uint32_t tgid;
	uint64_t start_ns; /* of its process, since boot; 0 unknown */
	int fd;		   /* -1: there is none */
};

struct rec_jitmaps {
	struct owt_writer *writer;
	struct jitmap *maps;
	size_t cnt, cap;
	struct owt_pairs index;	  /* (tgid, start_ns) -> place in maps, from 1 */
	struct owt_pairs touched; /* (place << 32 | process, address) */
};

int rec_jitmaps_new(struct owt_writer *w, struct rec_jitmaps **out)
{
	struct rec_jitmaps *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->writer = w;
	if (owt_pairs_init(&j->index) || owt_pairs_init(&j->touched)) {
		rec_jitmaps_free(j);
		return -ENOMEM;
	}
	*out = j;
	return 0;
}

/* --- opening ----------------------------------------------------------------------------- */

/* The last number of a line like "NStgid:\t4711\t12": the id in the innermost namespace. */
static uint64_t innermost_id(int proc_fd)
{
	static const char tag[] = "\nNStgid:";
	uint64_t id = 0;
	const char *at, *eol;
	char *text;
	size_t len;

	if (rec_slurp(proc_fd, "status", STATUS_BYTES_MAX, &text, &len))
		return 0;
	at = strstr(text, tag);
	if (at) {
		at += strlen(tag);
		eol = strchrnul(at, '\n');
		while (at < eol && *at == '\t') {
			at++;
			if (owt_take_u64(&at, eol, 10, &id))
				id = 0;
		}
	}
	free(text);
	return id;
}

static bool is_its_own(int fd, int proc_fd)
{
	struct stat map, proc;

	/* files of /proc and tracefs, which may be mounted there and may block, have no size */
	return !fstat(fd, &map) && !fstat(proc_fd, &proc) && map.st_size > 0 &&
	       (map.st_uid == proc.st_uid || map.st_uid == 0);
}

/* The tgid may be another process' by now. */
static bool is_same_process(int proc_fd, uint64_t start_ns)
{
	uint64_t ticks = 0, ns_per_tick = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK), at_ns;
	char *text;
	size_t len;

	if (!start_ns)
		return true;
	if (rec_slurp(proc_fd, "stat", STATUS_BYTES_MAX, &text, &len))
		return false;
	at_ns = rec_stat_start_ticks(text, len, &ticks) ? 0 : ticks * ns_per_tick;
	free(text);
	return at_ns <= start_ns + ns_per_tick && start_ns <= at_ns + FORK_NS_MAX;
}

static int open_map(uint32_t tgid, uint64_t start_ns)
{
	char path[64];
	uint64_t id = 0;
	int proc_fd, root = -1, fd = -1;

	snprintf(path, sizeof(path), "/proc/%u", tgid);
	proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc_fd < 0)
		return -1;
	if (is_same_process(proc_fd, start_ns))
		id = innermost_id(proc_fd);
	if (id)
		root = openat(proc_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root >= 0) {
		snprintf(path, sizeof(path), "/tmp/perf-%llu.map", (unsigned long long)id);
		fd = rec_open_in_root(root, path);
		close(root);
	}
	if (fd >= 0 && !is_its_own(fd, proc_fd)) {
		close(fd);
		fd = -1;
	}
	close(proc_fd);
	return fd;
}

static int add_map(struct rec_jitmaps *j, uint32_t tgid, uint64_t start_ns)
{
	size_t cap = j->cap ? j->cap * 2 : 16;
	struct jitmap *more;

	if (j->cnt == j->cap) {
		more = reallocarray(j->maps, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		j->maps = more;
		j->cap = cap;
	}
	if (owt_pairs_add(&j->index, tgid, start_ns))
		return -ENOMEM;
	j->maps[j->cnt] = (struct jitmap){ .tgid = tgid, .start_ns = start_ns, .fd = -1 };
	if (j->cnt < MAPS_MAX)
		j->maps[j->cnt].fd = open_map(tgid, start_ns);
	j->cnt++;
	return 0;
}

int rec_jitmaps_touch(struct rec_jitmaps *j, uint32_t tgid, uint64_t start_ns, uint32_t process,
		      uint64_t addr)
{
	uint32_t place = owt_pairs_find(&j->index, tgid, start_ns);
	uint64_t key;
	int ret;

	if (!place) {
		ret = add_map(j, tgid, start_ns);
		if (ret)
			return ret;
		place = j->index.cnt;
	}
	key = (uint64_t)place << 32 | process;
	if (owt_pairs_find(&j->touched, key, addr))
		return 0;
	return owt_pairs_add(&j->touched, key, addr);
}

/* --- reading ----------------------------------------------------------------------------- */

int rec_jitmap_next(const char **pos, const char *end, struct rec_jitsym *out)
{
	const char *p = *pos, *eol;
	struct rec_jitsym sym;

	if (p == end)
		return 0;
	eol = memchr(p, '\n', (size_t)(end - p));
	*pos = eol ? eol + 1 : end;
	if (!eol || owt_take_u64(&p, eol, 16, &sym.addr) || p == eol || *p++ != ' ' ||
	    owt_take_u64(&p, eol, 16, &sym.size) || p == eol || *p++ != ' ' || p == eol)
		return -EINVAL;
	if (!sym.size || sym.addr > UINT64_MAX - sym.size)
		return -EINVAL;
	sym.name = p;
	sym.name_len = (size_t)(eol - p);
	*out = sym;
	return 1;
}

struct touch {
	uint32_t place, process;
	uint64_t addr;
	struct rec_jitsym sym; /* the last that covers it; size 0: none */
};

static int by_place(const void *a, const void *b)
{
	const struct touch *x = a, *y = b;
	int order = owt_cmp_u64(x->place, y->place);

	return order ? order : owt_cmp_u64(x->addr, y->addr);
}

/* The first touch at or behind addr. */
static size_t first_from(const struct touch *t, size_t cnt, uint64_t addr)
{
	size_t low = 0, high = cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Code is replaced, its memory used again: the last line that covers an address counts. */
static int name_touches(struct rec_jitmaps *j, struct touch *t, size_t cnt, const char *text,
			size_t len, struct owt_err *err)
{
	const char *pos = text, *end = text + len;
	struct rec_jitsym sym;
	size_t left = COVERS_MAX;
	int got, ret = 0;

	while ((got = rec_jitmap_next(&pos, end, &sym)) != 0)
		for (size_t i = got > 0 ? first_from(t, cnt, sym.addr) : cnt;
		     i < cnt && left && t[i].addr - sym.addr < sym.size; i++, left--)
			t[i].sym = sym;
	for (size_t i = 0; i < cnt && !ret; i++) {
		const struct rec_jitsym *s = &t[i].sym;
		struct owt_symbol out = { .process = t[i].process,
					  .addr = s->addr,
					  .size = s->size,
					  .name = { s->name,
						    s->name_len < 4096 ? s->name_len : 4096 } };

		if (s->size &&
		    (!i || t[i - 1].sym.name != s->name || t[i - 1].process != t[i].process))
			ret = owt_writer_symbol(j->writer, &out, err);
	}
	return ret;
}

static int write_map(struct rec_jitmaps *j, uint32_t place, struct touch *t, size_t cnt,
		     struct owt_err *err)
{
	struct jitmap *map = &j->maps[place - 1];
	char path[32], *text;
	size_t len;
	int ret;

	if (map->fd < 0) /* some write it late */
		map->fd = open_map(map->tgid, map->start_ns);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", map->fd);
	if (rec_slurp(AT_FDCWD, path, MAP_BYTES_MAX, &text, &len))
		return 0; /* unreadable or out of bounds: no names */
	ret = name_touches(j, t, cnt, text, len, err);
	free(text);
	close(map->fd);
	map->fd = -1;
	return ret;
}

int rec_jitmaps_write_symbols(struct rec_jitmaps *j, struct rec_naming *naming,
			      struct owt_err *err)
{
	size_t cnt = j->touched.cnt, n = 0, end;
	struct touch *touches = calloc(cnt + 1, sizeof(*touches));
	int ret = 0;

	if (!touches)
		return owt_fail(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < j->touched.slot_cnt && n < cnt; i++) {
		const struct owt_pair_slot *slot = &j->touched.slots[i];

		if (slot->id)
			touches[n++] = (struct touch){ .place = (uint32_t)(slot->a >> 32),
						       .process = (uint32_t)slot->a,
						       .addr = slot->b };
	}
	qsort(touches, n, sizeof(*touches), by_place);
	for (size_t i = 0; i < n && !ret; i = end) {
		for (end = i; end < n && touches[end].place == touches[i].place; end++)
			;
		if (rec_naming_is_over(naming))
			naming->left_cnt++;
		else
			ret = rec_naming_leave_at_limit(
				naming,
				write_map(j, touches[i].place, touches + i, end - i, err), err);
	}
	free(touches);
	return ret;
}

void rec_jitmaps_free(struct rec_jitmaps *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->cnt; i++)
		if (j->maps[i].fd >= 0)
			close(j->maps[i].fd);
	free(j->maps);
	owt_pairs_done(&j->index);
	owt_pairs_done(&j->touched);
	free(j);
}
