/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <string.h>
#include "cgroup.h"

static const char hybrid[] =
	"23 1 0:21 / / rw,relatime - ext4 /dev/root rw\n"
	"31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - tmpfs tmpfs rw,mode=755\n"
	"32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:7 master:3 - cgroup cgroup rw,cpu\n"
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
	"42 31 0:38 /a/b /mnt/part rw,relatime - cgroup2 none rw\n"
	"43 31 0:38 / /mnt/two\\040words\\134 rw,relatime - cgroup2 none rw\n"
	"44 31 0:38 / /sys/fs/cgroup/unified/in rw,relatime - cgroup2 none rw";

static void expect_mount(const char *mountinfo, const char *dir, const char *mount)
{
	char buf[128] = "untouched";

	cr_expect_eq(rec_cgroup_mount(mountinfo, dir, buf, sizeof(buf)), mount != NULL, "%s", dir);
	cr_expect_str_eq(buf, mount ? mount : "untouched");
}

Test(cgroup, finds_the_mount_of_version_2)
{
	expect_mount(hybrid, NULL, "/sys/fs/cgroup/unified");
	expect_mount("30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", NULL,
		     "/sys/fs/cgroup");
	expect_mount("30 1 0:26 / / rw - cgroup2 cgroup2 rw\n", "/a", "/");
}

Test(cgroup, finds_the_mount_of_a_directory)
{
	expect_mount(hybrid, "/sys/fs/cgroup/unified", "/sys/fs/cgroup/unified");
	expect_mount(hybrid, "/sys/fs/cgroup/unified/x", "/sys/fs/cgroup/unified");
	expect_mount(hybrid, "/sys/fs/cgroup/unified/in/x", "/sys/fs/cgroup/unified/in");
	expect_mount(hybrid, "/sys/fs/cgroup/unified/inner", "/sys/fs/cgroup/unified");
	expect_mount(hybrid, "/mnt/two words\\/x", "/mnt/two words\\");
}

Test(cgroup, no_mount_without_the_root_or_of_another_kind)
{
	expect_mount(hybrid, "/mnt/part/c", NULL);
	expect_mount(hybrid, "/sys/fs/cgroup/cpu", NULL);
	expect_mount(hybrid, "/", NULL);
	expect_mount("", NULL, NULL);
	expect_mount("\n\n", NULL, NULL);
	expect_mount("31 23 0:28 / /x rw - tmpfs cgroup2 rw\n", NULL, NULL);
	expect_mount("31 23 0:28 / /x rw - cgroup2", NULL, NULL);
	expect_mount("31 23", NULL, NULL);
}

Test(cgroup, a_mount_point_is_cut_to_size)
{
	char buf[8];

	cr_expect(rec_cgroup_mount(hybrid, NULL, buf, sizeof(buf)));
	cr_expect_str_eq(buf, "/sys/fs");
}

Test(cgroup, one_that_is_not_there)
{
	struct rec_cgroup cgroup = { .level = 7 };
	struct owt_err err = { 0 };

	cr_expect_neq(rec_cgroup_find("no/such/cgroup", &cgroup, &err), 0);
	cr_expect(*err.text);
	cr_expect_eq(cgroup.level, 7);
	cr_expect_null(cgroup.dir);
}
