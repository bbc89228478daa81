/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ranges.h"

#define RANGES_MAX 16384 /* of one image: a process can make mappings without end */

static bool overlap(const struct rec_range *a, const struct rec_range *b)
{
	return a->start < b->end && b->start < a->end;
}

static const struct rec_range *newest_overlap(const struct rec_ranges *r,
					      const struct rec_range *with)
{
	for (size_t i = with->start < r->max_end ? r->cnt : 0; i-- > 0;)
		if (overlap(&r->items[i], with))
			return &r->items[i];
	return NULL;
}

int rec_ranges_add(struct rec_ranges *r, const struct rec_range *range)
{
	const struct rec_range *old = newest_overlap(r, range);
	struct rec_range *more;

	if (old && old->start == range->start && old->end == range->end &&
	    old->offset == range->offset && old->module == range->module)
		return 0;
	if (r->cnt == RANGES_MAX)
		return -ENOSPC;
	if (r->cnt == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : 16;

		more = reallocarray(r->items, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		r->items = more;
		r->cap = cap;
	}
	r->items[r->cnt++] = *range;
	if (range->end > r->max_end)
		r->max_end = range->end;
	return 0;
}

static bool means_the_same(const struct rec_range *a, const struct rec_range *b)
{
	if (a->is_file != b->is_file || a->is_unknown || b->is_unknown)
		return false;
	return !a->is_file ||
	       (a->module == b->module && a->start - a->offset == b->start - b->offset);
}

bool rec_ranges_contradict(const struct rec_ranges *r, const struct rec_range *range)
{
	for (size_t i = range->start < r->max_end ? r->cnt : 0; i-- > 0;)
		if (overlap(&r->items[i], range) && !means_the_same(&r->items[i], range))
			return true;
	return false;
}

bool rec_ranges_equal(const struct rec_ranges *a, const struct rec_ranges *b)
{
	if (a->cnt != b->cnt)
		return false;
	for (size_t i = 0; i < a->cnt; i++) {
		const struct rec_range *x = &a->items[i], *y = &b->items[i];

		if (x->start != y->start || x->end != y->end || x->offset != y->offset ||
		    x->module != y->module || x->is_unknown != y->is_unknown)
			return false;
	}
	return true;
}

void rec_ranges_remove_covered(struct rec_ranges *r, const struct rec_range *range)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cnt; i++)
		if (r->items[i].start < range->start || r->items[i].end > range->end)
			r->items[n++] = r->items[i];
	r->cnt = n;
}

void rec_ranges_remove_contradicted(struct rec_ranges *r, const struct rec_ranges *other)
{
	size_t n = 0;

	for (size_t i = 0; i < r->cnt; i++)
		if (!rec_ranges_contradict(other, &r->items[i]))
			r->items[n++] = r->items[i];
	r->cnt = n;
}

void rec_ranges_doubt(struct rec_ranges *r, const struct rec_range *range)
{
	for (size_t i = 0; i < r->cnt; i++)
		if (r->items[i].is_read && overlap(&r->items[i], range)) {
			r->items[i].is_read = false;
			r->items[i].is_unknown = true;
		}
}

const struct rec_range *rec_ranges_find(const struct rec_ranges *r, uint64_t addr)
{
	for (size_t i = r->cnt; i-- > 0;)
		if (addr >= r->items[i].start && addr < r->items[i].end)
			return &r->items[i];
	return NULL;
}

int rec_ranges_copy(struct rec_ranges *to, const struct rec_ranges *from)
{
	if (!from->cnt)
		return 0;
	to->items = reallocarray(NULL, from->cnt, sizeof(*to->items));
	if (!to->items)
		return -ENOMEM;
	memcpy(to->items, from->items, from->cnt * sizeof(*to->items));
	to->cnt = to->cap = from->cnt;
	to->max_end = from->max_end;
	for (size_t i = 0; i < to->cnt; i++)
		to->items[i].written = false;
	return 0;
}

void rec_ranges_done(struct rec_ranges *r)
{
	free(r->items);
	*r = (struct rec_ranges){ .cnt = 0 };
}
