/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mappings of a process, which may overlap, are cut into disjoint spans when the first
 * address is asked for: a sweep over all their ends, with a heap that holds the mappings
 * under the sweep and has the latest of them on top.
 */
#include <errno.h>
#include <stdlib.h>
#include "maps.h"

#define IMAGES_SEARCHED 64 /* a recording could hold millions of one tgid */

struct span {
	uint64_t start, end;
	uint32_t mapping; /* index */
};

struct image {
	uint32_t tgid, process;
	size_t first, cnt; /* in by_process */
	bool cut;
	struct rep_table spans;
};

struct rep_maps {
	const struct rep_trace *trace;
	struct rep_budget *budget;
	struct image *images; /* by tgid, the newest first */
	size_t image_cnt;
	uint32_t *places;     /* of each process in images */
	uint32_t *by_process; /* mapping indexes, those of one process together */
};

static int by_tgid(const void *a, const void *b)
{
	const struct image *x = a, *y = b;

	if (x->tgid != y->tgid)
		return owt_cmp_u64(x->tgid, y->tgid);
	return owt_cmp_u64(y->process, x->process);
}

/* Sorts the mapping indexes by process, keeping their order, and tells each image its part. */
static int group_mappings(struct rep_maps *maps)
{
	const struct rep_trace *t = maps->trace;
	size_t *next = rep_alloc(maps->budget, t->process_cnt + 1, sizeof(*next)), i;

	if (!next)
		return -ENOMEM;
	for (i = 0; i < t->mapping_cnt; i++)
		next[t->mappings[i].process + 1]++;
	for (i = 1; i <= t->process_cnt; i++)
		next[i] += next[i - 1];
	for (i = 0; i < maps->image_cnt; i++) {
		struct image *image = &maps->images[i];

		image->first = next[image->process];
		image->cnt = next[image->process + 1] - image->first;
	}
	for (i = 0; i < t->mapping_cnt; i++)
		maps->by_process[next[t->mappings[i].process]++] = (uint32_t)i;
	rep_release(maps->budget, next, t->process_cnt + 1, sizeof(*next));
	return 0;
}

struct rep_maps *rep_maps_new(const struct rep_trace *trace, struct rep_budget *budget)
{
	struct rep_maps *maps = calloc(1, sizeof(*maps));
	size_t i;

	if (!maps)
		return NULL;
	maps->trace = trace;
	maps->budget = budget;
	maps->image_cnt = trace->process_cnt - 1;
	maps->images = rep_alloc(budget, maps->image_cnt, sizeof(*maps->images));
	maps->by_process = rep_alloc(budget, trace->mapping_cnt, sizeof(*maps->by_process));
	maps->places = rep_alloc(budget, trace->process_cnt, sizeof(*maps->places));
	if (!maps->images || !maps->by_process || !maps->places)
		goto fail;
	for (i = 0; i < maps->image_cnt; i++) {
		maps->images[i].process = (uint32_t)i + 1;
		maps->images[i].tgid = trace->processes[i + 1].tgid;
		rep_table_init(&maps->images[i].spans, sizeof(struct span));
	}
	if (group_mappings(maps))
		goto fail;
	if (maps->image_cnt)
		qsort(maps->images, maps->image_cnt, sizeof(*maps->images), by_tgid);
	for (i = 0; i < maps->image_cnt; i++)
		maps->places[maps->images[i].process] = (uint32_t)i;
	return maps;
fail:
	rep_maps_free(maps);
	return NULL;
}

/* A mapping as the sweep sees it, and the heap of those under the sweep. */
struct sweep {
	struct span *pending; /* by start */
	uint64_t *points;     /* all starts and ends */
	struct span *heap;
	size_t cnt, heap_cnt;
};

static int by_start(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->start != y->start)
		return owt_cmp_u64(x->start, y->start);
	return owt_cmp_u64(x->mapping, y->mapping);
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return owt_cmp_u64(*x, *y);
}

static void heap_push(struct sweep *s, struct span span)
{
	size_t i = s->heap_cnt++;

	for (; i && s->heap[(i - 1) / 2].mapping < span.mapping; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = span;
}

static void heap_pop(struct sweep *s)
{
	struct span last = s->heap[--s->heap_cnt];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < s->heap_cnt) {
		if (child + 1 < s->heap_cnt && s->heap[child + 1].mapping > s->heap[child].mapping)
			child++;
		if (s->heap[child].mapping < last.mapping)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
}

static int sweep_spans(struct rep_budget *budget, struct sweep *s, struct rep_table *spans)
{
	size_t i, next = 0;

	for (i = 0; i + 1 < 2 * s->cnt; i++) {
		uint64_t at = s->points[i], end = s->points[i + 1];

		for (; next < s->cnt && s->pending[next].start == at; next++)
			heap_push(s, s->pending[next]);
		while (s->heap_cnt && s->heap[0].end <= at)
			heap_pop(s);
		if (s->heap_cnt && end > at) {
			struct span span = {at, end, s->heap[0].mapping};

			if (rep_table_push(budget, spans, &span))
				return -ENOMEM;
		}
	}
	return 0;
}

static int cut(struct rep_maps *maps, struct image *image)
{
	struct sweep s = {.cnt = image->cnt};
	int rc = -ENOMEM;
	size_t i;

	s.pending = rep_alloc(maps->budget, s.cnt, sizeof(*s.pending));
	s.heap = rep_alloc(maps->budget, s.cnt, sizeof(*s.heap));
	s.points = rep_alloc(maps->budget, s.cnt * 2, sizeof(*s.points));
	if (!s.pending || !s.heap || !s.points)
		goto out;
	for (i = 0; i < s.cnt; i++) {
		uint32_t index = maps->by_process[image->first + i];
		const struct owt_mapping *m = &maps->trace->mappings[index];

		s.pending[i] = (struct span){m->start, m->end, index};
		s.points[2 * i] = m->start;
		s.points[2 * i + 1] = m->end;
	}
	qsort(s.pending, s.cnt, sizeof(*s.pending), by_start);
	qsort(s.points, s.cnt * 2, sizeof(*s.points), by_value);
	rc = sweep_spans(maps->budget, &s, &image->spans);
	image->cut = rc == 0;
out:
	rep_release(maps->budget, s.pending, s.cnt, sizeof(*s.pending));
	rep_release(maps->budget, s.heap, s.cnt, sizeof(*s.heap));
	rep_release(maps->budget, s.points, s.cnt * 2, sizeof(*s.points));
	return rc;
}

static const struct owt_mapping *find_in(const struct rep_maps *maps, const struct image *image,
					 uint64_t addr)
{
	size_t lo = 0, hi = image->spans.cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct span *span = rep_table_at(&image->spans, mid);

		if (addr < span->start)
			hi = mid;
		else if (addr >= span->end)
			lo = mid + 1;
		else
			return &maps->trace->mappings[span->mapping];
	}
	return NULL;
}

/* Index of the newest image of tgid, or of where it would stand. */
static size_t first_image(const struct rep_maps *maps, uint32_t tgid)
{
	size_t lo = 0, hi = maps->image_cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (maps->images[mid].tgid < tgid)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int find_cut(struct rep_maps *maps, struct image *image, uint64_t addr,
		    const struct owt_mapping **out)
{
	if (!image->cut && cut(maps, image))
		return -ENOMEM;
	*out = find_in(maps, image, addr);
	return 0;
}

int rep_maps_find(struct rep_maps *maps, struct rep_image wanted, uint64_t addr,
		  const struct owt_mapping **out)
{
	size_t i = first_image(maps, wanted.tgid), searched = 0;
	int rc = 0;

	*out = NULL;
	if (wanted.process)
		return find_cut(maps, &maps->images[maps->places[wanted.process]], addr, out);
	for (; !rc && !*out && i < maps->image_cnt && maps->images[i].tgid == wanted.tgid; i++)
		if (maps->images[i].cnt && searched++ < IMAGES_SEARCHED)
			rc = find_cut(maps, &maps->images[i], addr, out);
	return rc;
}

void rep_maps_free(struct rep_maps *maps)
{
	size_t i;

	if (!maps)
		return;
	for (i = 0; maps->images && i < maps->image_cnt; i++)
		rep_table_done(maps->budget, &maps->images[i].spans);
	rep_release(maps->budget, maps->images, maps->image_cnt, sizeof(*maps->images));
	rep_release(maps->budget, maps->by_process, maps->trace->mapping_cnt,
		    sizeof(*maps->by_process));
	rep_release(maps->budget, maps->places, maps->trace->process_cnt, sizeof(*maps->places));
	free(maps);
}
