/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "layout.h"
#include "output.h"

static char *enter_directory(void)
{
	char *dir = strdup("/tmp/offwake-test-XXXXXX");

	cr_assert_not_null(mkdtemp(dir));
	cr_assert_eq(chdir(dir), 0);
	return dir;
}

static void leave_directory(char *dir)
{
	unlink("out");
	unlink("out.old");
	unlink("other");
	rmdir("out");
	cr_assert_eq(chdir("/"), 0);
	cr_assert_eq(rmdir(dir), 0, "the directory must hold nothing else");
	free(dir);
}

static void write_file(const char *path, const char *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);

	cr_assert_eq(write(fd, bytes, len), (ssize_t)len);
	close(fd);
}

static off_t size_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) ? -1 : st.st_size;
}

static int open_out(struct rec_output *out)
{
	struct owt_err err = {0};
	int ret = rec_output_open("out", out, &err);

	cr_expect_eq(ret, err.code);
	return ret;
}

Test(output, a_new_file_is_private_and_kept)
{
	char *dir = enter_directory();
	struct rec_output out;
	struct owt_err err = {0};
	struct stat st;

	umask(0);
	cr_assert_eq(open_out(&out), 0);
	cr_assert_eq(fstat(out.fd, &st), 0);
	cr_expect_eq(st.st_mode & 07777, 0600);
	cr_assert_eq(write(out.fd, "x", 1), 1);
	cr_assert_eq(rec_output_close(&out, &err), 0);
	cr_expect_eq(size_of("out"), 1);
	leave_directory(dir);
}

Test(output, a_recording_of_that_name_is_set_aside)
{
	char *dir = enter_directory();
	struct rec_output out;

	write_file("out", OWT_MAGIC "and more", OWT_MAGIC_LEN + 8);
	write_file("out.old", OWT_MAGIC "older", OWT_MAGIC_LEN + 5);
	cr_assert_eq(open_out(&out), 0);
	cr_expect_eq(size_of("out.old"), OWT_MAGIC_LEN + 8);
	cr_expect_eq(size_of("out"), 0);
	rec_output_abandon(&out, 0);
	leave_directory(dir);
}

Test(output, what_is_no_recording_makes_no_room_for_one)
{
	char *dir = enter_directory();
	struct rec_output out;

	write_file("out", OWT_MAGIC, OWT_MAGIC_LEN);
	write_file("out.old", "precious", 8);
	cr_expect_eq(open_out(&out), -EEXIST);
	cr_expect_eq(size_of("out"), OWT_MAGIC_LEN);
	cr_expect_eq(size_of("out.old"), 8);
	leave_directory(dir);
}

Test(output, an_empty_file_is_replaced)
{
	char *dir = enter_directory();
	struct rec_output out;

	write_file("out", "", 0);
	cr_assert_eq(open_out(&out), 0);
	cr_expect_eq(size_of("out.old"), -1);
	rec_output_abandon(&out, 0);
	leave_directory(dir);
}

Test(output, anything_else_of_that_name_is_left_alone)
{
	char *dir = enter_directory();
	struct rec_output out = {.fd = -7};

	write_file("out", "precious", 8);
	cr_expect_eq(open_out(&out), -EEXIST);
	cr_expect_eq(size_of("out"), 8);
	unlink("out");
	cr_assert_eq(mkdir("out", 0700), 0);
	cr_expect_eq(open_out(&out), -EEXIST);
	rmdir("out");
	write_file("other", OWT_MAGIC, OWT_MAGIC_LEN);
	cr_assert_eq(symlink("other", "out"), 0);
	cr_expect_eq(open_out(&out), -EEXIST, "never through a link, even to a recording");
	cr_expect_eq(size_of("other"), OWT_MAGIC_LEN);
	cr_expect_eq(out.fd, -7, "untouched on failure");
	leave_directory(dir);
}

Test(output, abandoned_files_keep_what_is_committed)
{
	char *dir = enter_directory();
	struct rec_output out;

	cr_assert_eq(open_out(&out), 0);
	cr_assert_eq(write(out.fd, "0123456789", 10), 10);
	rec_output_abandon(&out, 4);
	cr_expect_eq(size_of("out"), 4);
	cr_expect_eq(out.fd, -1);
	rec_output_abandon(&out, 0);
	cr_expect_eq(size_of("out"), 4, "a closed output is nobody's to remove");
	unlink("out");
	cr_assert_eq(open_out(&out), 0);
	cr_assert_eq(write(out.fd, "0123456789", 10), 10);
	rec_output_abandon(&out, 0);
	cr_expect_eq(size_of("out"), -1);
	leave_directory(dir);
}

Test(output, each_failed_write_has_a_cure)
{
	static const int codes[] = {-ENOSPC, -EDQUOT, -EFBIG, -EPIPE, -EIO};

	for (size_t i = 0; i < OWT_ARRAY_SIZE(codes); i++)
		cr_expect_not_null(rec_output_cure(codes[i]));
	cr_expect_null(rec_output_cure(-EPERM));
}
