/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include "images.h"

#define PLENTY 1000

static void map_at(struct rec_images *im, uint64_t now_ns, uint64_t start, uint32_t module)
{
	struct rec_range r = { .start = start,
			       .end = start + 100,
			       .module = module,
			       .is_file = module != 0 };

	cr_assert_eq(rec_images_map(im, now_ns, &r, PLENTY), 0);
}

static uint32_t module_in(const struct rec_image *image, uint64_t addr)
{
	const struct rec_range *r = image ? rec_ranges_find(&image->ranges, addr) : NULL;

	return r && !r->is_unknown ? r->module : 0;
}

static size_t image_cnt(const struct rec_images *im)
{
	size_t n = 0;

	for (const struct rec_image *i = im->newest; i; i = i->older)
		n++;
	return n;
}

Test(images, mappings_that_are_added_share_one)
{
	struct rec_images im = { .newest = NULL };

	cr_assert_not_null(rec_images_begin(&im, 10));
	for (uint32_t i = 1; i <= 100; i++)
		map_at(&im, 10 + i, i * 1000, i);
	cr_expect_eq(image_cnt(&im), 1);
	cr_expect_eq(im.range_cnt, 100);
	cr_expect_eq(module_in(rec_images_at(&im, 10), 50050), 50);
	rec_images_done(&im);
}

Test(images, an_address_means_what_lay_there_at_the_time)
{
	struct rec_images im = { .newest = NULL };

	cr_assert_not_null(rec_images_begin(&im, 10));
	map_at(&im, 20, 1000, 1);
	map_at(&im, 30, 1000, 2);
	cr_expect_eq(module_in(rec_images_at(&im, 20), 1050), 1);
	cr_expect_eq(module_in(rec_images_at(&im, 29), 1050), 1);
	cr_expect_eq(module_in(rec_images_at(&im, 30), 1050), 2);
	cr_expect_eq(module_in(rec_images_at(&im, 5), 1050), 1, "before all: the oldest");
	rec_images_done(&im);
}

Test(images, what_comes_again_is_the_same_image)
{
	struct rec_images im = { .newest = NULL };

	cr_assert_not_null(rec_images_begin(&im, 1));
	map_at(&im, 2, 5000, 9);
	for (uint32_t i = 0; i < 1000; i++)
		map_at(&im, 10 + i, 1000, 1 + i % 2);
	cr_expect_eq(image_cnt(&im), 2);
	cr_expect_eq(module_in(rec_images_at(&im, 10 + 500), 1050), 1);
	cr_expect_eq(module_in(rec_images_at(&im, 10 + 501), 1050), 2);
	cr_expect_eq(rec_images_at(&im, 10 + 500), rec_images_at(&im, 10 + 700));
	rec_images_done(&im);
}

Test(images, code_without_a_file_replaces_none)
{
	struct rec_images im = { .newest = NULL };
	struct rec_range more = { .start = 1000, .end = 5000 };

	cr_assert_not_null(rec_images_begin(&im, 1));
	map_at(&im, 2, 1000, 0);
	cr_assert_eq(rec_images_map(&im, 3, &more, PLENTY), 0);
	cr_expect_eq(im.cnt, 1);
	map_at(&im, 4, 1000, 7);
	cr_expect_eq(im.cnt, 2, "but a file does");
	rec_images_done(&im);
}

Test(images, an_exec_hides_what_was_before)
{
	struct rec_images im = { .newest = NULL };

	cr_assert_not_null(rec_images_begin(&im, 10));
	map_at(&im, 11, 1000, 1);
	cr_assert_not_null(rec_images_begin(&im, 20));
	map_at(&im, 21, 1000, 2);
	cr_expect_eq(module_in(rec_images_at(&im, 15), 1050), 1);
	cr_expect_eq(module_in(rec_images_at(&im, 25), 1050), 2);
	rec_images_forget(&im, 19);
	cr_expect_eq(image_cnt(&im), 2, "it was in force until 20");
	rec_images_forget(&im, 21);
	cr_expect_eq(image_cnt(&im), 1);
	cr_expect_eq(im.range_cnt, 1);
	im.end_ns = 30;
	rec_images_forget(&im, 30);
	cr_expect_eq(im.cnt, 1);
	rec_images_forget(&im, 31);
	cr_expect_eq(im.cnt, 0);
	cr_expect_null(im.newest);
	rec_images_done(&im);
}

Test(images, a_thread_may_sleep_since_long_before_a_change)
{
	struct rec_images im = { .newest = NULL };

	cr_assert_not_null(rec_images_begin(&im, 0));
	map_at(&im, 1, 1000, 1);
	map_at(&im, 2, 1000, 2);
	rec_images_forget(&im, 1000000);
	cr_expect_eq(module_in(rec_images_at(&im, 1), 1050), 1);
	rec_images_done(&im);
}

Test(images, what_was_dropped_is_not_named_by_another)
{
	struct rec_images im = { .newest = NULL };

	cr_assert_not_null(rec_images_begin(&im, 1));
	for (uint32_t i = 0; i < 10000; i++)
		map_at(&im, 10 + i, 1000, 1 + i % 2);
	cr_expect_lt(im.cnt, 5000);
	cr_expect_null(rec_images_at(&im, 10));
	cr_expect_eq(module_in(rec_images_at(&im, 10 + 9998), 1050), 1);
	rec_images_done(&im);
}

Test(images, there_is_an_end_to_copying)
{
	struct rec_images im = { .newest = NULL };
	struct rec_range r = { .start = 1000, .end = 1100, .module = 3, .is_file = true };

	cr_assert_not_null(rec_images_begin(&im, 1));
	for (uint32_t i = 1; i <= 10; i++)
		map_at(&im, 2, i * 1000, i);
	cr_expect_eq(rec_images_map(&im, 3, &r, 9), -ENOSPC);
	cr_expect_eq(im.cnt, 1);
	rec_images_done(&im);
}

/* Without epochs in the rows. */
Test(images, between_two_times_only_what_is_certain_is_named)
{
	struct rec_images im = { .newest = NULL };
	struct rec_image *image;

	cr_assert_not_null(rec_images_begin(&im, 10));
	map_at(&im, 10, 5000, 9);
	map_at(&im, 20, 1000, 1);
	map_at(&im, 30, 1000, 2);
	cr_assert_eq(rec_images_between(&im, 10, 20, 29, &image), 0);
	cr_expect_eq(module_in(image, 1050), 1);
	cr_assert_eq(rec_images_between(&im, 10, 30, 99, &image), 0);
	cr_expect_eq(module_in(image, 1050), 2);
	cr_assert_eq(rec_images_between(&im, 10, 25, 35, &image), 0);
	cr_expect_eq(module_in(image, 1050), 0);
	cr_expect_eq(module_in(image, 5050), 9);
	cr_assert_not_null(rec_images_begin(&im, 40));
	map_at(&im, 40, 1000, 3);
	cr_assert_eq(rec_images_between(&im, 40, 25, 99, &image), 0);
	cr_expect_eq(module_in(image, 1050), 3, "an exec is known by its instant");
	cr_assert_eq(rec_images_between(&im, 10, 35, 99, &image), 0);
	cr_expect_eq(module_in(image, 1050), 2);
	rec_images_done(&im);
}

/* A process that is older than the events: /proc shows what is there now. */
Test(images, what_was_read_after_a_change_is_not_taken_for_what_was_before)
{
	struct rec_images im = { .newest = NULL };
	struct rec_range r = {
		.start = 1000, .end = 1100, .module = 2, .is_file = true, .is_read = true
	};

	cr_assert_not_null(rec_images_begin(&im, 0));
	map_at(&im, 50, 5000, 9);
	cr_assert_eq(rec_images_map(&im, 50, &r, PLENTY), 0);
	r.is_read = false;
	rec_images_doubt(&im, &r);
	cr_assert_eq(rec_images_map(&im, 40, &r, PLENTY), 0);
	cr_expect_eq(module_in(rec_images_at(&im, 39), 1050), 0);
	cr_expect_eq(module_in(rec_images_at(&im, 39), 5050), 9);
	cr_expect_eq(module_in(rec_images_at(&im, 40), 1050), 2);
	rec_images_done(&im);
}

Test(images, a_reading_that_found_only_more_is_no_change)
{
	struct rec_images im = { .newest = NULL };

	cr_assert_not_null(rec_images_begin(&im, 10));
	map_at(&im, 10, 1000, 1);
	cr_assert_not_null(rec_images_begin(&im, 20));
	map_at(&im, 20, 1000, 1);
	map_at(&im, 20, 2000, 2);
	cr_assert_eq(rec_images_fold(&im), 0);
	cr_expect_eq(im.cnt, 1);
	cr_expect_eq(image_cnt(&im), 1);
	cr_expect_eq(im.range_cnt, 2);
	cr_assert_not_null(rec_images_begin(&im, 30));
	map_at(&im, 30, 1000, 3);
	cr_assert_eq(rec_images_fold(&im), 0);
	cr_expect_eq(im.cnt, 2);
	rec_images_done(&im);
}

Test(images, none_can_be_forgotten_and_freed)
{
	struct rec_images im = { .newest = NULL };

	rec_images_forget(&im, 100);
	rec_images_done(&im);
	cr_assert_null(rec_images_now(&im));
}
