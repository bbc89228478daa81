/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>
#include "jitmaps.h"

Test(jitmaps, reads_a_line)
{
	const char text[] = "7f0012340000 2a0 LazyCompile:*work /app/x.js:3\n1000 10 f\n";
	const char *pos = text, *end = text + strlen(text);
	struct rec_jitsym sym;

	cr_assert_eq(rec_jitmap_next(&pos, end, &sym), 1);
	cr_expect_eq(sym.addr, 0x7f0012340000);
	cr_expect_eq(sym.size, 0x2a0);
	cr_expect_eq(sym.name_len, strlen("LazyCompile:*work /app/x.js:3"));
	cr_expect_eq(memcmp(sym.name, "LazyCompile:*work /app/x.js:3", sym.name_len), 0);
	cr_assert_eq(rec_jitmap_next(&pos, end, &sym), 1);
	cr_expect_eq(sym.addr, 0x1000);
	cr_expect_eq(rec_jitmap_next(&pos, end, &sym), 0);
}

Test(jitmaps, another_shape_is_refused_and_skipped)
{
	static const char *const lines[] = {
		"\n", "1000\n", "1000 \n", "1000 10\n", "1000 10 \n", "x 10 f\n", "1000 x f\n",
		"1000 0 empty\n", "ffffffffffffffff 1 wraps\n", "11111111111111111 1 long\n",
		"root:x:0:0:root:/root:/bin/bash\n", "1000 10 no end of line",
	};
	struct rec_jitsym sym;

	for (size_t i = 0; i < OWT_ARRAY_SIZE(lines); i++) {
		const char *pos = lines[i], *end = pos + strlen(pos);

		cr_expect_eq(rec_jitmap_next(&pos, end, &sym), -EINVAL, "%s", lines[i]);
		cr_expect_eq(pos, end, "%s", lines[i]);
	}
}
