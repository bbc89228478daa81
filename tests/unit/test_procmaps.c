/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "procmaps.h"

Test(procmaps, reads_a_line)
{
	const char text[] = "55d0c0a00000-55d0c0a21000 r-xp 00002000 fe:01 1835041    "
			    "          /usr/bin/a b\n";
	const char *pos = text, *end = text + strlen(text);
	struct rec_map map;

	cr_assert_eq(rec_maps_next(&pos, end, &map), 1);
	cr_expect_eq(map.start, 0x55d0c0a00000);
	cr_expect_eq(map.end, 0x55d0c0a21000);
	cr_expect_eq(map.offset, 0x2000);
	cr_expect_eq(map.major, 0xfe);
	cr_expect_eq(map.minor, 1);
	cr_expect_eq(map.inode, 1835041);
	cr_expect(map.is_exec);
	cr_expect_eq(map.path_len, strlen("/usr/bin/a b"));
	cr_expect_eq(memcmp(map.path, "/usr/bin/a b", map.path_len), 0);
	cr_expect_eq(rec_maps_next(&pos, end, &map), 0);
}

Test(procmaps, anonymous_memory_has_no_path)
{
	const char text[] = "7f00-7f01 rw-p 00000000 00:00 0 \n7f02-7f03 --xp 0 0:0 0\n";
	const char *pos = text, *end = text + strlen(text);
	struct rec_map map;

	cr_assert_eq(rec_maps_next(&pos, end, &map), 1);
	cr_expect_eq(map.path_len, 0);
	cr_expect_not(map.is_exec);
	cr_assert_eq(rec_maps_next(&pos, end, &map), 1);
	cr_expect_eq(map.path_len, 0);
	cr_expect(map.is_exec);
}

Test(procmaps, another_shape_is_refused_and_skipped)
{
	static const char *const lines[] = {
		"\n",
		"7f00 r-xp 0 0:0 0\n",
		"7f01-7f00 r-xp 0 0:0 0 backwards\n",
		"7f00-7f00 r-xp 0 0:0 0 empty\n",
		"7f00-7f01 r-x\n",
		"7f00-7f01 r-xp 0 0:0\n",
		"7f00-7f01 r-xp 0 100000000:0 0 x\n",
		"7f00-fffffffffffffffff r-xp 0 0:0 0 x\n",
		"7f00-7f01 r-xp 0 0:0 99999999999999999999 x\n",
		"7f00-7f01 r-xp 0 0:0 0 no end of line",
	};
	struct rec_map map;

	for (size_t i = 0; i < OWT_ARRAY_SIZE(lines); i++) {
		const char *pos = lines[i], *end = pos + strlen(pos);

		cr_expect_eq(rec_maps_next(&pos, end, &map), -EINVAL, "%s", lines[i]);
		cr_expect_eq(pos, end, "%s", lines[i]);
	}
}

static void expect_unescaped(const char *from, const char *to)
{
	char out[64];
	size_t n = rec_maps_unescape(from, strlen(from), out, sizeof(out));

	cr_expect_eq(n, strlen(to), "%s", from);
	cr_expect_eq(memcmp(out, to, n), 0, "%s", from);
}

/* In maps the kernel escapes the newline and nothing else (fs/proc/task_mmu.c). */
Test(procmaps, undoes_the_kernels_escapes)
{
	char out[4];

	expect_unescaped("/a\\012b", "/a\nb");
	expect_unescaped("/a\\012", "/a\n");
	expect_unescaped("/a\\134b", "/a\\134b");
	expect_unescaped("/vic\\101tim", "/vic\\101tim");
	expect_unescaped("/a\\040b\\011\\000", "/a\\040b\\011\\000");
	expect_unescaped("/a\\\\012b", "/a\\\nb");
	expect_unescaped("/a\\01", "/a\\01");
	expect_unescaped("/a\\999", "/a\\999");
	expect_unescaped("\\", "\\");
	cr_expect_eq(rec_maps_unescape("abcdef", 6, out, sizeof(out)), sizeof(out));
}

Test(procmaps, start_time_stands_behind_any_name)
{
	const char *plain = "7 (cat) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 424242 9 9\n";
	const char *nasty = "7 (a) R 1 (x) S 1 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 77 9\n";
	uint64_t ticks;

	cr_assert_eq(rec_stat_start_ticks(plain, strlen(plain), &ticks), 0);
	cr_expect_eq(ticks, 424242);
	cr_assert_eq(rec_stat_start_ticks(nasty, strlen(nasty), &ticks), 0);
	cr_expect_eq(ticks, 77);
	cr_expect_eq(rec_stat_start_ticks("7 (cat) S 1 7", 13, &ticks), -EINVAL);
	cr_expect_eq(rec_stat_start_ticks("", 0, &ticks), -EINVAL);
}
