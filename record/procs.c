/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One entry a tgid, holding its images (images.h). An image is described when a row or stack
 * names it, and from then on each of its later mappings as it comes. A process that ended before
 * the last slice can no longer be named and is dropped.
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
#include "images.h"
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
	struct rec_images images; /* none: forgotten */
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
	uint64_t trust_ns; /* since when instants tell each change; 0: never */
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

void rec_procs_trust_instants(struct rec_procs *p, uint64_t since_ns)
{
	p->trust_ns = since_ns;
}

/* --- images ------------------------------------------------------------------------------ */

static struct rec_image *begin_image(struct proc *proc, uint64_t now_ns)
{
	return rec_images_begin(&proc->images, now_ns);
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
	r->written = !ret;
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
		if (!image->ranges.items[i].written && !image->ranges.items[i].is_unknown)
			ret = write_range(p, image, &image->ranges.items[i], err);
	return ret;
}

/* Some of its mappings are not known. */
static void lose(struct rec_procs *p, struct proc *proc)
{
	p->lost += !proc->lost;
	proc->lost = true;
}

/* Where the file can hold no more of something, its frames have no names. */
static int describe_if_room(struct rec_procs *p, struct proc *proc, struct rec_image *image,
			    struct owt_err *err)
{
	int ret = describe(p, proc->tgid, image, err);

	if (ret != -OWT_E_LIMIT)
		return ret;
	*err = (struct owt_err){ .code = 0 };
	lose(p, proc);
	return 0;
}

/* Whether its functions are named by itself, in a map, and not by a file. */
static bool is_code_of_process(const struct rec_procs *p, uint32_t module)
{
	struct owt_string path = rec_modules_path(p->modules, module);

	return !module || (path.len > 1 && !memcmp(path.bytes, "//", 2)) ||
	       (path.bytes[0] == '[' && !rec_modules_is_file(p->modules, module));
}

/* From now_ns on. */
static int add_range(struct rec_procs *p, struct proc *proc, uint64_t now_ns,
		     const struct rec_range *r, struct owt_err *err)
{
	size_t may_add = p->range_cnt < p->range_max ? p->range_max - p->range_cnt : 0;
	int ret;

	p->range_cnt -= proc->images.range_cnt;
	ret = rec_images_map(&proc->images, now_ns, r, may_add);
	p->range_cnt += proc->images.range_cnt;
	if (ret == -ENOMEM)
		return no_memory(err);
	if (ret)
		lose(p, proc);
	return 0;
}

/* What an event told of, or, where it has no time, what was read from /proc just now. */
static int add_mapping(struct rec_procs *p, struct proc *proc, int proc_fd,
		       const struct rec_mapevent *e, struct owt_err *err)
{
	uint64_t now_ns = e->time_ns ? e->time_ns : proc->read_ns;
	const struct rec_map *map = &e->map;
	struct rec_range r = { .start = map->start, .end = map->end, .offset = map->offset };
	struct rec_image *image;
	int ret = rec_modules_find(p->modules, proc_fd, map, e->build_id, e->build_id_len,
				   &r.module, err);

	if (ret)
		return ret;
	r.is_file = !is_code_of_process(p, r.module);
	r.is_read = !e->time_ns;
	if (e->time_ns && e->time_ns <= proc->read_ns)
		rec_images_doubt(&proc->images, &r);
	ret = add_range(p, proc, now_ns, &r, err);
	image = rec_images_now(&proc->images);
	if (!image->exe && map->path_len && map->path[0] == '/')
		image->exe = r.module; /* the kernel maps the executable first */
	return !ret && image->id ? describe_if_room(p, proc, image, err) : ret;
}

/* --- /proc ------------------------------------------------------------------------------- */

/* *out_any: there are mappings; a leader that has exited shows none. */
static int read_maps(struct rec_procs *p, struct proc *proc, int proc_fd, bool *out_any,
		     struct owt_err *err)
{
	const char *pos, *end;
	char path[PATH_MAX], *text;
	struct rec_mapevent found = { .type = REC_EVENT_MAP };
	struct rec_map *map = &found.map;
	size_t len;
	int ret;

	*out_any = false;
	if (rec_slurp(proc_fd, "maps", MAPS_BYTES_MAX, &text, &len))
		return 0; /* gone meanwhile, or not ours to read */
	*out_any = len > 0;
	pos = text;
	end = text + len;
	while ((ret = rec_maps_next(&pos, end, map)) != 0) {
		if (ret < 0 || !map->is_exec)
			continue;
		map->path_len = rec_maps_unescape(map->path, map->path_len, path, sizeof(path));
		map->path = path;
		ret = add_mapping(p, proc, proc_fd, &found, err);
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
	struct rec_image *image;
	bool any = false;

	proc->read_ns = rec_monotonic_ns();
	if (proc_fd < 0)
		return 0; /* gone */
	if (!rec_images_now(&proc->images) && !begin_image(proc, 0))
		ret = no_memory(err);
	image = rec_images_now(&proc->images);
	if (!ret && !image->start_ns)
		read_start(p, proc_fd, image);
	if (!ret && !image->comm_len)
		read_comm(proc_fd, image);
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
	if (!ret)
		ret = complete(p, proc, err); /* while as little as can be has been replaced */
	if (!ret && !rec_images_now(&proc->images) && !begin_image(proc, 0))
		ret = no_memory(err);
	if (ret)
		return ret;
	proc_fd = open_proc(e->tgid);
	ret = add_mapping(p, proc, proc_fd, e, err);
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
	const struct rec_image *before;
	struct rec_image *image;
	struct proc *proc;
	int ret = proc_of(p, e->tgid, &proc, err);

	if (ret)
		return ret;
	before = rec_images_now(&proc->images);
	image = begin_image(proc, e->time_ns);
	if (!image)
		return no_memory(err);
	image->start_ns = before ? before->start_ns : 0;
	set_comm(image, e->comm.bytes, e->comm.len);
	proc->complete = true;
	proc->dead = false; /* another thread's exec ends the leader first */
	return 0;
}

/* The mappings it has from its parent; read at need where nobody may make us copy without end. */
static int inherit(struct rec_procs *p, struct proc *child, const struct rec_image *from,
		   struct rec_image *image, struct owt_err *err)
{
	set_comm(image, from->comm, from->comm_len);
	image->exe = from->exe;
	if (p->range_cnt + from->ranges.cnt > p->range_max) {
		child->complete = false;
		return 0;
	}
	if (rec_ranges_copy(&image->ranges, &from->ranges))
		return no_memory(err);
	child->images.range_cnt += image->ranges.cnt;
	p->range_cnt += image->ranges.cnt;
	return 0;
}

static int handle_fork(struct rec_procs *p, const struct rec_mapevent *e, struct owt_err *err)
{
	const struct rec_image *from;
	struct proc *parent, *child;
	struct rec_image *image;
	int ret = proc_of(p, e->parent_tgid, &parent, err);

	if (!ret)
		ret = complete(p, parent, err);
	if (!ret)
		ret = proc_of(p, e->tgid, &child, err);
	if (ret)
		return ret;
	child->dead = child->lost = false; /* a tgid may be used again */
	child->complete = true;
	from = rec_images_now(&parent->images);
	image = begin_image(child, e->time_ns);
	if (!image)
		return no_memory(err);
	image->start_ns = e->time_ns + rec_clock_ns(CLOCK_BOOTTIME) - rec_monotonic_ns();
	return from ? inherit(p, child, from, image, err) : 0;
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
	proc->images.end_ns = e->time_ns;
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

/* Finds the mapping of addr: 1, 0 when there is none, or -ENOMEM. */
static int touch(struct rec_procs *p, uint32_t tgid, const struct rec_image *image, uint64_t addr)
{
	uint64_t at = addr - 1; /* one past what it means, as all addresses of a stack */
	const struct rec_range *r = rec_ranges_find(&image->ranges, at);
	int ret;

	if (!r || r->is_unknown)
		return 0;
	if (!r->is_file && !image->id)
		ret = 0; /* the file has no room for the process, and none for its code */
	else if (!r->is_file)
		ret = rec_jitmaps_touch(p->jitmaps, tgid, image->start_ns, image->id, at);
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

/* An exec, another process, or a change of mappings, that no event told of. */
static int read_change(struct rec_procs *p, struct proc *proc, uint64_t at_ns, struct owt_err *err)
{
	int ret;

	if (!begin_image(proc, at_ns))
		return no_memory(err);
	proc->dead = false;
	ret = read_proc(p, proc, err);
	p->range_cnt -= proc->images.range_cnt;
	if (!ret && rec_images_fold(&proc->images))
		ret = no_memory(err);
	p->range_cnt += proc->images.range_cnt;
	return ret;
}

static int image_of(struct rec_procs *p, struct proc *proc, const struct rec_image_key *key,
		    struct rec_image **out, struct owt_err *err)
{
	if (!p->trust_ns) {
		return rec_images_between(&proc->images, key->image_ns, key->since_ns,
					  key->until_ns, out) ?
			       no_memory(err) :
			       0;
	}
	*out = rec_images_at(&proc->images, key->image_ns ? key->image_ns : p->trust_ns);
	return 0;
}

/* It, and what the tgid was before and since: a thread in the middle of an exec is both. */
static int describe_with_others(struct rec_procs *p, struct proc *proc, struct rec_image *image,
				struct owt_err *err)
{
	const struct rec_images *im = &proc->images;
	int ret = 0;

	for (size_t i = 0; i < im->cnt && !ret; i++)
		if (i + 1 == im->cnt ||
		    im->epochs[i].image->generation != im->epochs[i + 1].image->generation)
			ret = describe_if_room(p, proc, im->epochs[i].image, err);
	return ret ? ret : describe_if_room(p, proc, image, err);
}

int rec_procs_meet(struct rec_procs *p, uint32_t tgid, struct owt_err *err)
{
	struct proc *proc;
	int ret = proc_of(p, tgid, &proc, err);

	return ret ? ret : complete(p, proc, err);
}

int rec_procs_see(struct rec_procs *p, const struct rec_image_key *key, const uint64_t *addrs,
		  size_t cnt, uint32_t *out_id, struct owt_err *err)
{
	struct rec_image *image = NULL;
	struct proc *proc;
	bool known;
	int ret = proc_of(p, key->tgid, &proc, err);

	if (!ret)
		ret = complete(p, proc, err);
	if (!ret && !p->trust_events && proc->read_ns && key->image_ns > proc->read_ns)
		ret = read_change(p, proc, key->image_ns, err);
	if (!ret)
		ret = image_of(p, proc, key, &image, err);
	if (ret)
		return ret;
	if (cnt && (!image || !image->ranges.cnt))
		lose(p, proc);
	if (!image)
		return 0;
	if (!image->id)
		ret = describe_with_others(p, proc, image, err);
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

static void forget_images(struct rec_procs *p, struct proc *proc, uint64_t before_ns)
{
	p->range_cnt -= proc->images.range_cnt;
	rec_images_forget(&proc->images, before_ns);
	p->range_cnt += proc->images.range_cnt;
}

static void free_proc(struct proc *proc)
{
	rec_images_done(&proc->images);
	free(proc);
}

/* A table of those that are left: tgids come and go. */
static void compact(struct rec_procs *p)
{
	struct owt_pairs index;
	size_t n = 0;

	if (owt_pairs_init(&index))
		return;
	for (size_t i = 0; i < p->index.cnt; i++)
		if (p->procs[i]->images.cnt && owt_pairs_add(&index, p->procs[i]->tgid, 0)) {
			owt_pairs_done(&index);
			return;
		}
	for (size_t i = 0; i < p->index.cnt; i++) {
		if (p->procs[i]->images.cnt)
			p->procs[n++] = p->procs[i];
		else
			free_proc(p->procs[i]);
	}
	owt_pairs_done(&p->index);
	p->index = index;
}

void rec_procs_end_slice(struct rec_procs *p, uint64_t slice_start_ns)
{
	size_t gone = 0;

	for (size_t i = 0; i < p->index.cnt; i++) {
		forget_images(p, p->procs[i], slice_start_ns);
		gone += !p->procs[i]->images.cnt;
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
	for (size_t i = 0; i < p->index.cnt; i++)
		free_proc(p->procs[i]);
	free(p->procs);
	owt_pairs_done(&p->index);
	rec_jitmaps_free(p->jitmaps);
	free(p);
}
