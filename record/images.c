/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mappings that are only added share an image. Unmappings are not told: what was unmapped stays,
 * until something else takes its place. A program may replace libraries for ever; but then sets
 * of mappings come again, and so do images.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "images.h"

#define EPOCHS_MAX 4096u /* of one tgid */

struct rec_image *rec_images_now(const struct rec_images *im)
{
	return im->cnt ? im->epochs[im->cnt - 1].image : NULL;
}

/* How many epochs began until then. */
static size_t begun(const struct rec_images *im, uint64_t at_ns)
{
	size_t low = 0, high = im->cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (im->epochs[mid].from_ns <= at_ns)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct rec_image *rec_images_at(const struct rec_images *im, uint64_t at_ns)
{
	size_t n = begun(im, at_ns);

	if (n)
		return im->epochs[n - 1].image;
	return im->cnt && !im->is_cut ? im->epochs[0].image : NULL;
}

/* --- epochs ------------------------------------------------------------------------------ */

static void free_unused(struct rec_images *im)
{
	struct rec_image **at = &im->newest, *image;

	while ((image = *at) != NULL) {
		/* those of the newest generation may come again */
		if (image->epoch_cnt || (im->cnt && image->generation == im->generation)) {
			at = &image->older;
			continue;
		}
		*at = image->older;
		im->range_cnt -= image->ranges.cnt;
		rec_ranges_done(&image->ranges);
		free(image);
	}
}

static void drop_epochs(struct rec_images *im, size_t n)
{
	for (size_t i = 0; i < n; i++)
		im->epochs[i].image->epoch_cnt--;
	im->cnt -= n;
	if (im->cnt)
		memmove(im->epochs, im->epochs + n, im->cnt * sizeof(*im->epochs));
}

static int add_epoch(struct rec_images *im, uint64_t from_ns, struct rec_image *image)
{
	size_t cap = im->cap ? im->cap * 2 : 4;
	struct rec_epoch *more;

	if (rec_images_now(im) == image)
		return 0;
	if (im->cnt == EPOCHS_MAX) {
		im->is_cut = true;
		drop_epochs(im, EPOCHS_MAX / 2);
	}
	if (im->cnt == im->cap) {
		more = reallocarray(im->epochs, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		im->epochs = more;
		im->cap = cap;
	}
	if (im->cnt && from_ns < im->epochs[im->cnt - 1].from_ns)
		from_ns = im->epochs[im->cnt - 1].from_ns; /* it was read before it was told */
	im->epochs[im->cnt++] = (struct rec_epoch){ from_ns, image };
	image->epoch_cnt++;
	im->end_ns = 0;
	return 0;
}

static void keep_image(struct rec_images *im, struct rec_image *image)
{
	image->generation = im->generation;
	image->older = im->newest;
	im->newest = image;
	im->range_cnt += image->ranges.cnt;
}

struct rec_image *rec_images_begin(struct rec_images *im, uint64_t now_ns)
{
	struct rec_image *image = calloc(1, sizeof(*image));

	if (!image || add_epoch(im, now_ns, image)) {
		free(image);
		return NULL;
	}
	im->is_cut = im->is_cut && im->cnt > 1;
	im->generation++;
	keep_image(im, image);
	return image;
}

/* --- mappings ---------------------------------------------------------------------------- */

/* A copy of an image's own facts, with these of its ranges, which it takes over. */
static struct rec_image *alike(const struct rec_image *image, struct rec_ranges *ranges)
{
	struct rec_image *copy = malloc(sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *image;
	copy->id = 0;
	copy->epoch_cnt = 0;
	copy->ranges = *ranges;
	*ranges = (struct rec_ranges){ .cnt = 0 };
	return copy;
}

/* An image of this generation that has just these ranges, which are used up. Null: no memory. */
static struct rec_image *image_with(struct rec_images *im, const struct rec_image *now,
				    struct rec_ranges *ranges)
{
	struct rec_image *image = im->newest;

	while (image && (image->generation != im->generation ||
			 !rec_ranges_equal(&image->ranges, ranges)))
		image = image->older;
	if (image)
		return image;
	image = alike(now, ranges);
	if (image)
		keep_image(im, image);
	return image;
}

static int replace(struct rec_images *im, uint64_t now_ns, const struct rec_range *range)
{
	struct rec_image *now = rec_images_now(im), *image;
	struct rec_ranges ranges = { .cnt = 0 };
	int ret = rec_ranges_copy(&ranges, &now->ranges);

	if (!ret) {
		rec_ranges_remove_covered(&ranges, range);
		ret = rec_ranges_add(&ranges, range);
	}
	if (!ret) {
		image = image_with(im, now, &ranges);
		ret = image ? add_epoch(im, now_ns, image) : -ENOMEM;
	}
	rec_ranges_done(&ranges);
	return ret;
}

int rec_images_map(struct rec_images *im, uint64_t now_ns, const struct rec_range *range,
		   size_t may_add)
{
	struct rec_image *now = rec_images_now(im);
	size_t before = now->ranges.cnt;
	int ret;

	if (rec_ranges_contradict(&now->ranges, range))
		return before > may_add ? -ENOSPC : replace(im, now_ns, range);
	ret = rec_ranges_add(&now->ranges, range);
	im->range_cnt += now->ranges.cnt - before;
	return ret;
}

void rec_images_doubt(struct rec_images *im, const struct rec_range *range)
{
	for (struct rec_image *i = im->newest; i; i = i->older)
		if (!i->id && i->generation == im->generation)
			rec_ranges_doubt(&i->ranges, range);
}

static bool is_more_of(const struct rec_image *image, const struct rec_image *than)
{
	bool is_more = image->start_ns == than->start_ns && image->exe == than->exe;

	for (size_t i = 0; i < image->ranges.cnt && is_more; i++)
		is_more = !rec_ranges_contradict(&than->ranges, &image->ranges.items[i]);
	return is_more;
}

int rec_images_fold(struct rec_images *im)
{
	struct rec_image *last = rec_images_now(im), *before;
	size_t was;
	int ret = 0;

	if (im->cnt < 2)
		return 0;
	before = im->epochs[im->cnt - 2].image;
	was = before->ranges.cnt;
	if (!is_more_of(last, before))
		return 0;
	for (size_t i = 0; i < last->ranges.cnt && !ret; i++)
		ret = rec_ranges_add(&before->ranges, &last->ranges.items[i]);
	im->range_cnt += before->ranges.cnt - was;
	im->cnt--;
	last->epoch_cnt--;
	im->generation = before->generation;
	free_unused(im);
	return ret == -ENOMEM ? ret : 0;
}

/* --- without epochs in the rows ---------------------------------------------------------- */

static int agreed(struct rec_images *im, size_t first, size_t last, struct rec_image **out)
{
	struct rec_image *now = im->epochs[last].image, *image;
	struct rec_ranges ranges = { .cnt = 0 };

	if (rec_ranges_copy(&ranges, &now->ranges))
		return -ENOMEM;
	for (size_t i = first; i < last; i++)
		if (im->epochs[i].image != now)
			rec_ranges_remove_contradicted(&ranges, &im->epochs[i].image->ranges);
	image = image_with(im, now, &ranges);
	rec_ranges_done(&ranges);
	if (!image)
		return -ENOMEM;
	*out = image;
	return 0;
}

int rec_images_between(struct rec_images *im, uint64_t gen_ns, uint64_t since_ns, uint64_t until_ns,
		       struct rec_image **out)
{
	size_t first, last = begun(im, until_ns);
	const struct rec_image *of = rec_images_at(im, gen_ns);
	bool is_one = true;

	*out = NULL;
	if (!of)
		return 0;
	while (last && im->epochs[last - 1].image->generation != of->generation)
		last--;
	if (!last) {
		*out = rec_images_at(im, gen_ns);
		return 0;
	}
	first = --last;
	while (first && im->epochs[first].from_ns > since_ns &&
	       im->epochs[first - 1].image->generation == of->generation) {
		first--;
		is_one = is_one && im->epochs[first].image == im->epochs[last].image;
	}
	*out = im->epochs[last].image;
	return is_one ? 0 : agreed(im, first, last, out);
}

/* --- forgetting -------------------------------------------------------------------------- */

void rec_images_forget(struct rec_images *im, uint64_t before_ns)
{
	size_t n = 0;

	if (im->cnt && im->end_ns && im->end_ns < before_ns)
		n = im->cnt;
	/* a thread may have slept since long before this generation's last change */
	while (n + 1 < im->cnt && im->epochs[n].image->generation != im->generation &&
	       im->epochs[n + 1].from_ns < before_ns)
		n++;
	if (!n)
		return;
	drop_epochs(im, n);
	free_unused(im);
}

void rec_images_done(struct rec_images *im)
{
	drop_epochs(im, im->cnt);
	free_unused(im);
	free(im->epochs);
	*im = (struct rec_images){ .newest = NULL };
}
