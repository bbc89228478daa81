/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each CPU has its own ring. A round copies out what is there, sorts it by time and hands out
 * all that is older than HOLD_NS: a record that another CPU is still writing is younger.
 *
 * The event of a CPU that goes offline is dead for good: when the CPU is back it gets another.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "clock.h"
#include "hotplug.h"
#include "mapevents.h"

#define HOLD_NS	  2000000ull
#define TRAILER	  16	       /* sample_id: pid, tid, time */
#define NO_WAKEUP (1u << 30)   /* more than any buffer holds: we come by ourselves */

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif

struct ring {
	int fd;
	size_t bytes;			   /* of its data: a power of two */
	struct perf_event_mmap_page *page; /* null while the CPU is offline */
};

struct pending {
	uint64_t time_ns;
	size_t at, len; /* in bytes */
	size_t order;	/* of equal times: as they came */
};

struct rec_mapevents {
	struct ring *rings; /* one a CPU */
	size_t ring_cnt;
	int hotplug_fd;
	uint8_t *bytes;
	size_t byte_cnt, byte_cap, byte_max;
	struct pending *pending;
	size_t pending_cnt, pending_cap;
	uint64_t lost;
};

static int open_event(int cpu, bool build_id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.build_id = build_id,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = NO_WAKEUP,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* 1 when this CPU's ring stands, 0 when the CPU is offline, or -errno. */
static int open_ring(struct ring *ring, int cpu)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE) + ring->bytes;
	void *page;

	ring->fd = open_event(cpu, true);
	if (ring->fd < 0 && errno == EINVAL) /* build_id: since 5.12 */
		ring->fd = open_event(cpu, false);
	if (ring->fd < 0)
		return errno == ENODEV ? 0 : -errno;
	page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (page == MAP_FAILED) {
		close(ring->fd);
		return -errno;
	}
	ring->page = page;
	return 1;
}

static void close_ring(struct ring *ring)
{
	if (!ring->page)
		return;
	munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->bytes);
	close(ring->fd);
	ring->page = NULL;
}

int rec_mapevents_open(size_t ring_bytes, size_t pending_max, struct rec_mapevents **out,
		       struct owt_err *err)
{
	struct rec_mapevents *m = calloc(1, sizeof(*m));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int ret = 0;

	if (m)
		m->hotplug_fd = -1;
	if (m && cpus > 0)
		m->rings = calloc((size_t)cpus, sizeof(*m->rings));
	if (!m || !m->rings) {
		rec_mapevents_free(m);
		return owt_fail(err, -ENOMEM, "out of memory");
	}
	m->byte_max = pending_max;
	for (long cpu = 0; cpu < cpus; cpu++)
		m->rings[cpu].bytes = ring_bytes;
	m->ring_cnt = (size_t)cpus;
	m->hotplug_fd = rec_hotplug_open();
	if (m->hotplug_fd < 0)
		ret = m->hotplug_fd;
	for (int cpu = 0; cpu < cpus && ret >= 0; cpu++)
		ret = open_ring(&m->rings[cpu], cpu);
	if (ret < 0) {
		rec_mapevents_free(m);
		return owt_fail(err, ret, "cannot follow mappings with perf events: %s",
				owt_strerror(ret));
	}
	*out = m;
	return 0;
}

static int reserve(struct rec_mapevents *m, size_t len)
{
	struct pending *pending;
	uint8_t *bytes;

	if (m->byte_cnt + len > m->byte_cap) {
		size_t cap = (m->byte_cap + len) * 2;

		bytes = cap <= m->byte_max ? realloc(m->bytes, cap) : NULL;
		if (!bytes)
			return -ENOMEM;
		m->bytes = bytes;
		m->byte_cap = cap;
	}
	if (m->pending_cnt == m->pending_cap) {
		size_t cap = m->pending_cap ? m->pending_cap * 2 : 1024;

		pending = reallocarray(m->pending, cap, sizeof(*pending));
		if (!pending)
			return -ENOMEM;
		m->pending = pending;
		m->pending_cap = cap;
	}
	return 0;
}

/* A stretch of the ring, round its end if need be. */
static void copy_out(const struct ring *ring, uint64_t at, uint8_t *to, size_t len)
{
	const uint8_t *data = (const uint8_t *)ring->page + sysconf(_SC_PAGESIZE);
	size_t start = at & (ring->bytes - 1), first = ring->bytes - start;

	if (first > len)
		first = len;
	memcpy(to, data + start, first);
	memcpy(to + first, data, len - first);
}

static void keep(struct rec_mapevents *m, size_t len)
{
	uint8_t *record = m->bytes + m->byte_cnt;
	struct perf_event_header head;
	uint64_t lost;

	memcpy(&head, record, sizeof(head));
	if (head.type == PERF_RECORD_LOST && len >= sizeof(head) + 2 * sizeof(lost)) {
		memcpy(&lost, record + sizeof(head) + sizeof(lost), sizeof(lost));
		m->lost += lost;
		return;
	}
	if (len < sizeof(head) + TRAILER)
		return;
	m->pending[m->pending_cnt] =
		(struct pending){ .at = m->byte_cnt, .len = len, .order = m->pending_cnt };
	memcpy(&m->pending[m->pending_cnt++].time_ns, record + len - sizeof(uint64_t),
	       sizeof(uint64_t));
	m->byte_cnt += len;
}

static void drain_ring(struct rec_mapevents *m, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;
	struct perf_event_header h;

	while (head - tail >= sizeof(h)) {
		copy_out(ring, tail, (uint8_t *)&h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - tail) {
			tail = head; /* cannot be; the kernel wrote it */
			break;
		}
		if (reserve(m, h.size)) {
			m->lost++;
		} else {
			copy_out(ring, tail, m->bytes + m->byte_cnt, h.size);
			keep(m, h.size);
		}
		tail += h.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

static int by_time(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;
	int order = owt_cmp_u64(x->time_ns, y->time_ns);

	return order ? order : owt_cmp_u64(x->order, y->order);
}

/* Moves what is held back to the front, its bytes too. */
static void forget(struct rec_mapevents *m, size_t done)
{
	size_t left = m->pending_cnt - done, len = 0;
	uint8_t *bytes = NULL;

	memmove(m->pending, m->pending + done, left * sizeof(*m->pending));
	m->pending_cnt = left;
	for (size_t i = 0; i < left; i++)
		len += m->pending[i].len;
	if (left)
		bytes = malloc(len);
	if (left && !bytes)
		return; /* they stay where they are */
	len = 0;
	for (size_t i = 0; i < left; i++) {
		struct pending *p = &m->pending[i];

		memcpy(bytes + len, m->bytes + p->at, p->len);
		p->at = len;
		p->order = i;
		len += p->len;
	}
	if (left)
		memcpy(m->bytes, bytes, len);
	m->byte_cnt = len;
	free(bytes);
}

/* What happened there before the new event stands is lost. */
static void revive(struct rec_mapevents *m, size_t cpu)
{
	struct ring *ring = &m->rings[cpu];

	if (ring->page)
		drain_ring(m, ring);
	close_ring(ring);
	/* it may be offline again, or we may be refused one more event: counted the same */
	(void)open_ring(ring, (int)cpu);
	m->lost++;
}

static void follow_cpus(struct rec_mapevents *m)
{
	int cpu;

	while ((cpu = rec_hotplug_next(m->hotplug_fd)) != REC_HOTPLUG_NONE)
		for (size_t i = 0; i < m->ring_cnt; i++)
			if (cpu == REC_HOTPLUG_UNKNOWN || (size_t)cpu == i)
				revive(m, i);
}

int rec_mapevents_read(struct rec_mapevents *m, uint64_t until_ns, rec_mapevent_fn *fn, void *ctx,
		       struct owt_err *err)
{
	struct rec_mapevent event;
	size_t done = 0;
	int ret = 0;

	if (!until_ns)
		until_ns = rec_monotonic_ns() - HOLD_NS;
	for (size_t i = 0; i < m->ring_cnt; i++)
		if (m->rings[i].page)
			drain_ring(m, &m->rings[i]);
	follow_cpus(m);
	if (m->pending_cnt)
		qsort(m->pending, m->pending_cnt, sizeof(*m->pending), by_time);
	while (!ret && done < m->pending_cnt && m->pending[done].time_ns <= until_ns) {
		const struct pending *p = &m->pending[done++];

		if (rec_mapevent_parse(m->bytes + p->at, p->len, &event))
			ret = fn(ctx, &event, err);
	}
	forget(m, done);
	return ret;
}

uint64_t rec_mapevents_bytes(const struct rec_mapevents *m)
{
	return m->ring_cnt * (m->rings[0].bytes + (uint64_t)sysconf(_SC_PAGESIZE));
}

uint64_t rec_mapevents_lost(const struct rec_mapevents *m)
{
	return m->lost;
}

void rec_mapevents_free(struct rec_mapevents *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->ring_cnt; i++)
		close_ring(&m->rings[i]);
	if (m->hotplug_fd >= 0)
		close(m->hotplug_fd);
	free(m->rings);
	free(m->bytes);
	free(m->pending);
	free(m);
}

/* --- records: include/uapi/linux/perf_event.h, enum perf_event_type ------------------------ */

struct body {
	const uint8_t *at, *end; /* behind the header, before the trailer */
};

static bool take(struct body *b, void *to, size_t len)
{
	if ((size_t)(b->end - b->at) < len)
		return false;
	memcpy(to, b->at, len);
	b->at += len;
	return true;
}

/* A terminated string, padded to 8. */
static bool take_text(struct body *b, struct owt_string *out)
{
	size_t left = (size_t)(b->end - b->at);

	out->bytes = (const char *)b->at;
	out->len = strnlen(out->bytes, left);
	return out->len < left;
}

/* Of PERF_RECORD_MMAP2, behind pid and tid. id: device and inode, or size and build-id. */
struct map_body {
	uint64_t addr, len, pgoff;
	uint8_t id[24];
	uint32_t prot, flags;
};

static int parse_map(struct body *b, uint16_t misc, struct rec_mapevent *out)
{
	const uint8_t *id = b->at + offsetof(struct map_body, id);
	struct map_body m;
	struct owt_string path;
	uint64_t end;

	if (!take(b, &m, sizeof(m)) || !take_text(b, &path) || !m.len ||
	    __builtin_add_overflow(m.addr, m.len, &end))
		return 0;
	out->type = REC_EVENT_MAP;
	out->map = (struct rec_map){ .start = m.addr,
				     .end = end,
				     .offset = m.pgoff,
				     .is_exec = m.prot & PROT_EXEC,
				     .path = path.bytes,
				     .path_len = path.len };
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		out->build_id_len = m.id[0] <= 20 ? m.id[0] : 0;
		out->build_id = id + 4;
		return 1;
	}
	memcpy(&out->map.major, m.id, 4);
	memcpy(&out->map.minor, m.id + 4, 4);
	memcpy(&out->map.inode, m.id + 8, 8);
	return 1;
}

static int parse_comm(struct body *b, uint16_t misc, struct rec_mapevent *out)
{
	out->type = REC_EVENT_EXEC;
	return (misc & PERF_RECORD_MISC_COMM_EXEC) && take_text(b, &out->comm);
}

static int parse_task(struct body *b, bool is_fork, struct rec_mapevent *out)
{
	struct {
		uint32_t pid, ppid, tid, ptid;
	} t;

	if (!take(b, &t, sizeof(t)))
		return 0;
	out->type = is_fork ? REC_EVENT_FORK : REC_EVENT_EXIT;
	out->tgid = t.pid;
	out->tid = t.tid;
	out->parent_tgid = t.ppid;
	return !is_fork || t.pid == t.tid; /* a new thread changes no address space */
}

int rec_mapevent_parse(const uint8_t *record, size_t len, struct rec_mapevent *out)
{
	struct perf_event_header h;
	struct body b;

	if (len < sizeof(h) + TRAILER)
		return 0;
	memcpy(&h, record, sizeof(h));
	*out = (struct rec_mapevent){ .tgid = 0 };
	memcpy(&out->time_ns, record + len - sizeof(uint64_t), sizeof(uint64_t));
	b = (struct body){ record + sizeof(h), record + len - TRAILER };
	if (h.type == PERF_RECORD_FORK || h.type == PERF_RECORD_EXIT)
		return parse_task(&b, h.type == PERF_RECORD_FORK, out);
	if (!take(&b, &out->tgid, sizeof(out->tgid)) || !take(&b, &out->tid, sizeof(out->tid)))
		return 0;
	if (h.type == PERF_RECORD_MMAP2)
		return parse_map(&b, h.misc, out);
	if (h.type == PERF_RECORD_COMM)
		return parse_comm(&b, h.misc, out);
	return 0;
}
