/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One entry a tgid, holding its images, newest first. What a row or stack names is "wanted":
 * it is described with all images it has then, and each later mapping as it comes. An image
 * that ended before the last slice can no longer be named and is dropped.
 *
 * With mapping events a process is read from /proc at most once, if it is older than they
 * are. Without, or after events were lost, it is read again when a stack holds an address
 * that no mapping covers: at most once in REREAD_NS, for such an address may be garbage.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "clock.h"
#include "image.h"
#include "intern.h"
#include "jitmaps.h"
#include "procs.h"
#include "slurp.h"

#define REREAD_NS      200000000ull
#define MAPS_BYTES_MAX (64u << 20)
#define STAT_BYTES_MAX 4096u
#define RANGES_MAX     (1u << 20) /* in all images together */
#define GONE_MIN       4096	  /* entries without an image that are worth a new table */

struct proc {
	uint32_t tgid;
	struct rec_image *image; /* null: forgotten */
	bool wanted;
	bool complete; /* its mappings are known from their beginning */
	bool dead;
	bool lost;	  /* had a user stack and no mapping could be read */
	uint64_t read_ns; /* when /proc was read last; 0 never */
};

struct rec_procs {
	struct owt_writer *writer;
	struct rec_modules *modules;
	struct rec_jitmaps *jitmaps;
	struct owt_pairs index; /* (tgid, 0) -> place in procs, from 1 */
	struct proc **procs;
	size_t cap, gone;
	bool trust_events;
	size_t range_cnt, range_max; /* in all images */
	uint64_t ns_per_tick;
	uint64_t lost;
};

static int no_memory(struct owt_err *err)
{
	return owt_fail(err, -ENOMEM, "out of memory");
}

int rec_procs_new(struct owt_writer *w, struct rec_modules *modules, struct rec_procs **out)
{
	struct rec_procs *p = calloc(1, sizeof(*p));

	if (!p)
		return -ENOMEM;
	p->writer = w;
	p->modules = modules;
	p->range_max = RANGES_MAX;
	p->ns_per_tick = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK);
	if (owt_pairs_init(&p->index) || rec_jitmaps_new(w, &p->jitmaps)) {
		rec_procs_free(p);
		return -ENOMEM;
	}
	*out = p;
	return 0;
}

void rec_procs_limit(struct rec_procs *p, size_t cnt)
{
	p->range_max = cnt < RANGES_MAX ? cnt : RANGES_MAX;
}

void rec_procs_trust_events(struct rec_procs *p, bool trust)
{
	p->trust_events = trust;
}

/* --- images ------------------------------------------------------------------------------ */

static void drop_images(struct rec_procs *p, struct rec_image **from)
{
	struct rec_image *image = *from, *older;

	for (; image; image = older) {
		older = image->older;
		p->range_cnt -= image->ranges.cnt;
		rec_ranges_done(&image->ranges);
		free(image);
	}
	*from = NULL;
}

static struct rec_image *push_image(struct proc *proc, uint64_t now_ns)
{
	struct rec_image *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	if (proc->image && !proc->image->end_ns)
		proc->image->end_ns = now_ns;
	image->from_ns = now_ns;
	image->older = proc->image;
	proc->image = image;
	return image;
}

static int write_range(struct rec_procs *p, struct rec_image *image, struct rec_range *r,
		       struct owt_err *err)
{
	struct owt_mapping mapping = {
		.process = image->id, .start = r->start, .end = r->end, .offset = r->offset
	};
	int ret = rec_modules_define(p->modules, r->module, &mapping.module, err);

	if (!ret)
		ret = owt_writer_mapping(p->writer, &mapping, err);
	r->written = true;
	return ret;
}

static int describe(struct rec_procs *p, uint32_t tgid, struct rec_image *image,
		    struct owt_err *err)
{
	struct owt_process about = { .tgid = tgid, .start_ns = image->start_ns };
	struct owt_string exe = rec_modules_path(p->modules, image->exe);
	int ret = 0;

	if (!image->id) {
		ret = owt_writer_string(p->writer, image->comm, image->comm_len, &about.comm, err);
		if (!ret)
			ret = owt_writer_string(p->writer, exe.bytes, exe.len, &about.exe, err);
		if (!ret)
			ret = owt_writer_process(p->writer, &about, &image->id, err);
	}
	for (size_t i = 0; i < image->ranges.cnt && !ret; i++)
		if (!image->ranges.items[i].written)
			ret = write_range(p, image, &image->ranges.items[i], err);
	return ret;
}

/* All images the process has, the oldest first. */
static int describe_all(struct rec_procs *p, struct proc *proc, struct owt_err *err)
{
	const struct rec_image *last = NULL;
	struct rec_image *image;
	int ret = 0;

	while (!ret && last != proc->image) {
		for (image = proc->image; image->older != last; image = image->older)
			;
		ret = describe(p, proc->tgid, image, err);
		last = image;
	}
	return ret;
}

/* Some of its mappings are not known. */
static void lose(struct rec_procs *p, struct proc *proc)
{
	p->lost += !proc->lost;
	proc->lost = true;
}

static int add_mapping(struct rec_procs *p, struct proc *proc, int proc_fd,
		       const struct rec_map *map, const uint8_t *build_id, size_t build_id_len,
		       struct owt_err *err)
{
	struct rec_range r = { .start = map->start, .end = map->end, .offset = map->offset };
	int ret =
		rec_modules_find(p->modules, proc_fd, map, build_id, build_id_len, &r.module, err);

	if (ret)
		return ret;
	p->range_cnt -= proc->image->ranges.cnt;
	ret = rec_ranges_add(&proc->image->ranges, &r);
	p->range_cnt += proc->image->ranges.cnt;
	if (ret == -ENOMEM)
		return no_memory(err);
	if (ret)
		lose(p, proc);
	if (!proc->image->exe && map->path_len && map->path[0] == '/')
		proc->image->exe = r.module; /* the kernel maps the executable first */
	return proc->wanted ? describe(p, proc->tgid, proc->image, err) : 0;
}

/* --- /proc ------------------------------------------------------------------------------- */

/* *out_any: there are mappings; a leader that has exited shows none. */
static int read_maps(struct rec_procs *p, struct proc *proc, int proc_fd, bool *out_any,
		     struct owt_err *err)
{
	const char *pos, *end;
	char path[PATH_MAX], *text;
	struct rec_map map;
	size_t len;
	int ret;

	*out_any = false;
	if (rec_slurp(proc_fd, "maps", MAPS_BYTES_MAX, &text, &len))
		return 0; /* gone meanwhile, or not ours to read */
	*out_any = len > 0;
	pos = text;
	end = text + len;
	while ((ret = rec_maps_next(&pos, end, &map)) != 0) {
		if (ret < 0 || !map.is_exec)
			continue;
		map.path_len = rec_maps_unescape(map.path, map.path_len, path, sizeof(path));
		map.path = path;
		ret = add_mapping(p, proc, proc_fd, &map, NULL, 0, err);
		if (ret)
			break;
	}
	free(text);
	return ret;
}

static void read_start(const struct rec_procs *p, int proc_fd, struct rec_image *image)
{
	uint64_t ticks = 0;
	char *text;
	size_t len;

	if (rec_slurp(proc_fd, "stat", STAT_BYTES_MAX, &text, &len))
		return;
	if (!rec_stat_start_ticks(text, len, &ticks))
		image->start_ns = ticks * p->ns_per_tick;
	free(text);
}

static void read_comm(int proc_fd, struct rec_image *image)
{
	char *text;
	size_t len;

	if (rec_slurp(proc_fd, "comm", sizeof(image->comm), &text, &len))
		return;
	image->comm_len = len && text[len - 1] == '\n' ? len - 1 : len;
	memcpy(image->comm, text, image->comm_len);
	free(text);
}

static int open_proc(uint32_t tgid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", tgid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Another thread's directory: a leader that has exited shows no mappings. Or -1. */
static int open_other_thread(uint32_t tgid)
{
	char path[64];
	struct dirent *entry;
	DIR *tasks;
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	tasks = opendir(path);
	if (!tasks)
		return -1;
	snprintf(path, sizeof(path), "%u", tgid);
	while (fd < 0 && (entry = readdir(tasks)) != NULL)
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, path))
			fd = openat(dirfd(tasks), entry->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	closedir(tasks);
	return fd;
}

/* What the process maps now, on top of what is known; false only when memory is short. */
static int read_proc(struct rec_procs *p, struct proc *proc, struct owt_err *err)
{
	int proc_fd = open_proc(proc->tgid), ret = 0;
	bool any = false;

	proc->read_ns = rec_monotonic_ns();
	if (proc_fd < 0)
		return 0; /* gone */
	if (!proc->image && !push_image(proc, 0))
		ret = no_memory(err);
	if (!ret && !proc->image->start_ns)
		read_start(p, proc_fd, proc->image);
	if (!ret && !proc->image->comm_len)
		read_comm(proc_fd, proc->image);
	if (!ret)
		ret = read_maps(p, proc, proc_fd, &any, err);
	close(proc_fd);
	if (ret || any)
		return ret;
	proc_fd = open_other_thread(proc->tgid);
	if (proc_fd >= 0) {
		ret = read_maps(p, proc, proc_fd, &any, err);
		close(proc_fd);
	}
	return ret;
}

/* --- the table --------------------------------------------------------------------------- */

static int proc_of(struct rec_procs *p, uint32_t tgid, struct proc **out, struct owt_err *err)
{
	uint32_t place = owt_pairs_find(&p->index, tgid, 0);
	size_t cap = p->cap ? p->cap * 2 : 256;
	struct proc *proc, **more;

	if (place) {
		*out = p->procs[place - 1];
		return 0;
	}
	if (p->index.cnt == p->cap) {
		more = reallocarray(p->procs, cap, sizeof(*more));
		if (!more)
			return no_memory(err);
		p->procs = more;
		p->cap = cap;
	}
	proc = calloc(1, sizeof(*proc));
	if (!proc || owt_pairs_add(&p->index, tgid, 0)) {
		free(proc);
		return no_memory(err);
	}
	proc->tgid = tgid;
	p->procs[p->index.cnt - 1] = proc;
	*out = proc;
	return 0;
}

/* Mappings that are older than the events, once. */
static int complete(struct rec_procs *p, struct proc *proc, struct owt_err *err)
{
	int ret = proc->complete ? 0 : read_proc(p, proc, err);

	proc->complete = true;
	return ret;
}

static int handle_map(struct rec_procs *p, const struct rec_mapevent *e, struct owt_err *err)
{
	struct proc *proc;
	int proc_fd, ret;

	ret = proc_of(p, e->tgid, &proc, err);
	if (!ret && !proc->image && !push_image(proc, 0)) /* older than the events */
		ret = no_memory(err);
	if (ret)
		return ret;
	proc_fd = open_proc(e->tgid);
	ret = add_mapping(p, proc, proc_fd, &e->map, e->build_id, e->build_id_len, err);
	if (proc_fd >= 0)
		close(proc_fd);
	return ret;
}

static void set_comm(struct rec_image *image, const char *comm, size_t len)
{
	image->comm_len = len < sizeof(image->comm) ? len : sizeof(image->comm);
	memcpy(image->comm, comm, image->comm_len);
}

static int handle_exec(struct rec_procs *p, const struct rec_mapevent *e, struct owt_err *err)
{
	struct proc *proc;
	struct rec_image *image;
	uint64_t start_ns;
	int ret = proc_of(p, e->tgid, &proc, err);

	if (ret)
		return ret;
	start_ns = proc->image ? proc->image->start_ns : 0;
	image = push_image(proc, e->time_ns);
	if (!image)
		return no_memory(err);
	image->start_ns = start_ns;
	set_comm(image, e->comm.bytes, e->comm.len);
	proc->complete = true;
	proc->dead = false; /* another thread's exec ends the leader first */
	return 0;
}

static int handle_fork(struct rec_procs *p, const struct rec_mapevent *e, struct owt_err *err)
{
	struct proc *parent, *child;
	struct rec_image *image;
	int ret = proc_of(p, e->parent_tgid, &parent, err);

	if (!ret)
		ret = complete(p, parent, err);
	if (!ret)
		ret = proc_of(p, e->tgid, &child, err);
	if (ret)
		return ret;
	child->dead = child->wanted = child->lost = false; /* a tgid may be used again */
	child->complete = true;
	image = push_image(child, e->time_ns);
	if (!image)
		return no_memory(err);
	image->start_ns = e->time_ns + rec_clock_ns(CLOCK_BOOTTIME) - rec_monotonic_ns();
	if (!parent->image)
		return 0;
	set_comm(image, parent->image->comm, parent->image->comm_len);
	image->exe = parent->image->exe;
	if (p->range_cnt + parent->image->ranges.cnt > p->range_max) {
		child->complete = false; /* read at need: nobody may make us copy without end */
		return 0;
	}
	p->range_cnt += parent->image->ranges.cnt;
	return rec_ranges_copy(&image->ranges, &parent->image->ranges) ? no_memory(err) : 0;
}

static int handle_exit(struct rec_procs *p, const struct rec_mapevent *e)
{
	uint32_t place = owt_pairs_find(&p->index, e->tgid, 0);
	struct proc *proc = place ? p->procs[place - 1] : NULL;
	int other;

	if (!proc || e->tid != e->tgid)
		return 0;
	other = open_other_thread(e->tgid); /* they go on without their leader */
	if (other >= 0) {
		close(other);
		return 0;
	}
	proc->dead = true;
	if (proc->image)
		proc->image->end_ns = e->time_ns;
	return 0;
}

int rec_procs_event(void *ctx, const struct rec_mapevent *event, struct owt_err *err)
{
	switch (event->type) {
	case REC_EVENT_MAP:
		return handle_map(ctx, event, err);
	case REC_EVENT_EXEC:
		return handle_exec(ctx, event, err);
	case REC_EVENT_FORK:
		return handle_fork(ctx, event, err);
	case REC_EVENT_EXIT:
		return handle_exit(ctx, event);
	}
	return 0;
}

/* --- what stacks touch ------------------------------------------------------------------- */

static bool is_code_of_process(const struct rec_procs *p, uint32_t module)
{
	struct owt_string path = rec_modules_path(p->modules, module);

	return !module || (path.len > 1 && !memcmp(path.bytes, "//", 2)) ||
	       (path.bytes[0] == '[' && !rec_modules_is_file(p->modules, module));
}

/* Finds the mapping of addr: 1, 0 when there is none, or -ENOMEM. */
static int touch(struct rec_procs *p, uint32_t tgid, const struct rec_image *image, uint64_t addr)
{
	uint64_t at = addr - 1; /* one past what it means, as all addresses of a stack */
	const struct rec_range *r = rec_ranges_find(&image->ranges, at);
	int ret;

	if (!r)
		return 0;
	if (is_code_of_process(p, r->module))
		ret = rec_jitmaps_touch(p->jitmaps, tgid, image->id, at);
	else
		ret = rec_modules_touch(p->modules, r->module, at - r->start + r->offset);
	return ret ? ret : 1;
}

static int touch_all(struct rec_procs *p, uint32_t tgid, const struct rec_image *image,
		     const uint64_t *addrs, size_t cnt, bool *out_known)
{
	int ret = 1;

	*out_known = true;
	for (size_t i = 0; i < cnt && ret >= 0; i++) {
		ret = touch(p, tgid, image, addrs[i]);
		if (!ret)
			*out_known = false;
	}
	return ret < 0 ? ret : 0;
}

static struct rec_image *image_at(const struct proc *proc, uint64_t image_ns)
{
	struct rec_image *image = proc->image;

	while (image && image->older && image->from_ns > image_ns)
		image = image->older;
	return image;
}

int rec_procs_see(struct rec_procs *p, const struct rec_image_key *key, const uint64_t *addrs,
		  size_t cnt, uint32_t *out_id, struct owt_err *err)
{
	struct rec_image *image;
	struct proc *proc;
	bool known;
	int ret = proc_of(p, key->tgid, &proc, err);

	if (!ret)
		ret = complete(p, proc, err);
	if (ret)
		return ret;
	if (!p->trust_events && proc->read_ns && key->image_ns > proc->read_ns) {
		/* an exec, or another process, that no event told of */
		if (!push_image(proc, key->image_ns))
			return no_memory(err);
		proc->dead = false;
		ret = read_proc(p, proc, err);
		if (ret)
			return ret;
	}
	image = image_at(proc, key->image_ns);
	if (cnt && (!image || !image->ranges.cnt))
		lose(p, proc);
	if (!image)
		return 0;
	if (!proc->wanted || !image->id)
		ret = describe_all(p, proc, err);
	proc->wanted = true;
	if (out_id)
		*out_id = image->id;
	if (!ret && touch_all(p, key->tgid, image, addrs, cnt, &known))
		return no_memory(err);
	if (ret || known || p->trust_events || proc->dead ||
	    rec_monotonic_ns() - proc->read_ns < REREAD_NS)
		return ret;
	ret = read_proc(p, proc, err);
	return !ret && touch_all(p, key->tgid, image, addrs, cnt, &known) ? no_memory(err) : ret;
}

/* --- forgetting -------------------------------------------------------------------------- */

/* Images that ended before the slice; the newest too if its process is dead. */
static void forget_images(struct rec_procs *p, struct proc *proc, uint64_t before_ns)
{
	struct rec_image **at = &proc->image;

	while (*at && (!(*at)->end_ns || (*at)->end_ns >= before_ns))
		at = &(*at)->older;
	drop_images(p, at);
}

/* A table of those that are left: tgids come and go. */
static void compact(struct rec_procs *p)
{
	struct owt_pairs index;
	size_t n = 0;

	if (owt_pairs_init(&index))
		return;
	for (size_t i = 0; i < p->index.cnt; i++)
		if (p->procs[i]->image && owt_pairs_add(&index, p->procs[i]->tgid, 0)) {
			owt_pairs_done(&index);
			return;
		}
	for (size_t i = 0; i < p->index.cnt; i++) {
		if (p->procs[i]->image)
			p->procs[n++] = p->procs[i];
		else
			free(p->procs[i]);
	}
	owt_pairs_done(&p->index);
	p->index = index;
}

void rec_procs_end_slice(struct rec_procs *p, uint64_t slice_start_ns)
{
	size_t gone = 0;

	for (size_t i = 0; i < p->index.cnt; i++) {
		forget_images(p, p->procs[i], slice_start_ns);
		gone += !p->procs[i]->image;
	}
	if (gone > GONE_MIN && gone > p->index.cnt / 2)
		compact(p);
}

int rec_procs_write_symbols(struct rec_procs *p, struct rec_naming *naming, struct owt_err *err)
{
	return rec_jitmaps_write_symbols(p->jitmaps, naming, err);
}

uint64_t rec_procs_lost(const struct rec_procs *p)
{
	return p->lost;
}

void rec_procs_free(struct rec_procs *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->index.cnt; i++) {
		drop_images(p, &p->procs[i]->image);
		free(p->procs[i]);
	}
	free(p->procs);
	owt_pairs_done(&p->index);
	rec_jitmaps_free(p->jitmaps);
	free(p);
}
