/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One entry a tgid, in order of first sight. Reading again adds what is new; an image whose
 * start time or executable changed (exec, a reused tgid) is a new process in the recording.
 * A stack may hold addresses that no mapping will ever cover, so a process is read at most
 * once in REREAD_NS.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "clock.h"
#include "intern.h"
#include "procs.h"
#include "slurp.h"

#define REREAD_NS      200000000ull
#define MAPS_BYTES_MAX (64u << 20)
#define STAT_BYTES_MAX 4096u
#define COMM_BYTES_MAX 64u

struct range {
	uint64_t start, end, offset;
	uint32_t module;
};

struct proc {
	uint32_t tgid;
	uint32_t id; /* in the recording, of the image seen last; 0 none */
	uint64_t start_ns;
	uint32_t exe;
	uint64_t read_ns; /* when the mappings were read last */
	bool again;	  /* holds addresses that no mapping covers */
	bool lost;	  /* had a user stack and no mapping could be read */
	struct range *ranges;
	size_t range_cnt;
};

struct rec_procs {
	struct owt_writer *writer;
	struct rec_modules *modules;
	struct owt_pairs index; /* (tgid, 0) -> place in procs, from 1 */
	struct proc *procs;
	size_t cap;
	uint64_t ns_per_tick;
	uint64_t lost;
};

int rec_procs_new(struct owt_writer *w, struct rec_modules *modules, struct rec_procs **out)
{
	struct rec_procs *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return -ENOMEM;
	p->writer = w;
	p->modules = modules;
	p->ns_per_tick = 1000000000ull / (uint64_t)sysconf(_SC_CLK_TCK);
	err = owt_pairs_init(&p->index);
	if (err) {
		free(p);
		return err;
	}
	*out = p;
	return 0;
}

static bool covers(const struct proc *proc, uint64_t addr)
{
	for (size_t i = 0; i < proc->range_cnt; i++)
		if (addr >= proc->ranges[i].start && addr < proc->ranges[i].end)
			return true;
	return false;
}

static bool has_range(const struct proc *proc, const struct range *want)
{
	for (size_t i = proc->range_cnt; i-- > 0;) {
		const struct range *r = &proc->ranges[i];

		/* the newest that overlaps decides */
		if (r->start < want->end && want->start < r->end)
			return r->start == want->start && r->end == want->end &&
			       r->offset == want->offset && r->module == want->module;
	}
	return false;
}

static int add_range(struct rec_procs *p, struct proc *proc, const struct range *r,
		     struct owt_err *err)
{
	struct owt_mapping mapping = {.process = proc->id,
				      .module = r->module,
				      .start = r->start,
				      .end = r->end,
				      .offset = r->offset};
	struct range *more;

	if (has_range(proc, r))
		return 0;
	more = reallocarray(proc->ranges, proc->range_cnt + 1, sizeof(*more));
	if (!more)
		return owt_fail(err, -ENOMEM, "out of memory");
	proc->ranges = more;
	proc->ranges[proc->range_cnt++] = *r;
	return owt_writer_mapping(p->writer, &mapping, err);
}

static int read_maps(struct rec_procs *p, struct proc *proc, int proc_fd, struct owt_err *err)
{
	const char *pos, *end;
	struct rec_map map;
	char *text;
	size_t len;
	int ret;

	if (rec_slurp(proc_fd, "maps", MAPS_BYTES_MAX, &text, &len))
		return 0; /* gone meanwhile, or a kernel thread without rights */
	pos = text;
	end = text + len;
	while ((ret = rec_maps_next(&pos, end, &map)) != 0) {
		struct range r = {map.start, map.end, map.offset, 0};

		if (ret < 0 || !map.is_exec)
			continue;
		ret = rec_modules_of(p->modules, proc_fd, &map, &r.module, err);
		if (!ret)
			ret = add_range(p, proc, &r, err);
		if (ret)
			break;
	}
	free(text);
	return ret;
}

static int read_exe(struct rec_procs *p, int proc_fd, uint32_t *out_exe, struct owt_err *err)
{
	char path[PATH_MAX];
	ssize_t len = readlinkat(proc_fd, "exe", path, sizeof(path));

	*out_exe = 0;
	return len > 0 ? owt_writer_string(p->writer, path, (size_t)len, out_exe, err) : 0;
}

static uint64_t read_start_ns(const struct rec_procs *p, int proc_fd)
{
	uint64_t ticks = 0;
	char *text;
	size_t len;

	if (rec_slurp(proc_fd, "stat", STAT_BYTES_MAX, &text, &len))
		return 0;
	if (rec_stat_start_ticks(text, len, &ticks))
		ticks = 0;
	free(text);
	return ticks * p->ns_per_tick;
}

static int read_comm(struct rec_procs *p, int proc_fd, uint32_t *out_comm, struct owt_err *err)
{
	char *text;
	size_t len;
	int ret;

	*out_comm = 0;
	if (rec_slurp(proc_fd, "comm", COMM_BYTES_MAX, &text, &len))
		return 0;
	ret = owt_writer_string(p->writer, text, len && text[len - 1] == '\n' ? len - 1 : len,
				out_comm, err);
	free(text);
	return ret;
}

/* Defines the image that tgid runs now, unless it is the one that was seen last. */
static int read_image(struct rec_procs *p, struct proc *proc, int proc_fd, struct owt_err *err)
{
	struct owt_process image = {.tgid = proc->tgid};
	int ret;

	image.start_ns = read_start_ns(p, proc_fd);
	ret = read_exe(p, proc_fd, &image.exe, err);
	if (ret)
		return ret;
	if (proc->id && image.start_ns == proc->start_ns && image.exe == proc->exe)
		return 0;
	ret = read_comm(p, proc_fd, &image.comm, err);
	if (!ret)
		ret = owt_writer_process(p->writer, &image, &proc->id, err);
	if (ret)
		return ret;
	proc->start_ns = image.start_ns;
	proc->exe = image.exe;
	proc->range_cnt = 0;
	return 0;
}

static int read_proc(struct rec_procs *p, struct proc *proc, struct owt_err *err)
{
	char path[32];
	int proc_fd, ret;

	proc->read_ns = rec_monotonic_ns();
	proc->again = false;
	snprintf(path, sizeof(path), "/proc/%u", proc->tgid);
	proc_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc_fd < 0)
		return 0; /* gone */
	ret = read_image(p, proc, proc_fd, err);
	if (!ret)
		ret = read_maps(p, proc, proc_fd, err);
	close(proc_fd);
	return ret;
}

static int proc_of(struct rec_procs *p, uint32_t tgid, struct proc **out)
{
	uint32_t place = owt_pairs_find(&p->index, tgid, 0);
	size_t cap = p->cap ? p->cap * 2 : 256;
	struct proc *more;
	int err;

	if (place) {
		*out = &p->procs[place - 1];
		return 0;
	}
	if (p->index.cnt == p->cap) {
		more = reallocarray(p->procs, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		p->procs = more;
		p->cap = cap;
	}
	err = owt_pairs_add(&p->index, tgid, 0);
	if (err)
		return err;
	*out = &p->procs[p->index.cnt - 1];
	**out = (struct proc){.tgid = tgid};
	return 0;
}

int rec_procs_see(struct rec_procs *p, uint32_t tgid, const uint64_t *addrs, size_t cnt,
		  struct owt_err *err)
{
	struct proc *proc;
	bool known = true;
	int ret = proc_of(p, tgid, &proc);

	if (ret)
		return owt_fail(err, ret, "out of memory");
	for (size_t i = 0; i < cnt && known; i++)
		known = covers(proc, addrs[i]);
	if (proc->read_ns && known)
		return 0;
	if (proc->read_ns && rec_monotonic_ns() - proc->read_ns < REREAD_NS) {
		proc->again = true;
		return 0;
	}
	ret = read_proc(p, proc, err);
	if (!ret && cnt && !proc->range_cnt && !proc->lost) {
		proc->lost = true;
		p->lost++;
	}
	return ret;
}

int rec_procs_again(struct rec_procs *p, struct owt_err *err)
{
	int ret = 0;

	for (size_t i = 0; i < p->index.cnt && !ret; i++)
		if (p->procs[i].again)
			ret = read_proc(p, &p->procs[i], err);
	return ret;
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
		free(p->procs[i].ranges);
	free(p->procs);
	owt_pairs_done(&p->index);
	free(p);
}
