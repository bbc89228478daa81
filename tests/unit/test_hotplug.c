/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <unistd.h>
#include "hotplug.h"

struct said {
	char message[64];
	size_t len;
	int cpu;
};

static const struct said said[] = {
	{ "online@/devices/system/cpu/cpu7\0ACTION=online", 47, 7 },
	{ "online@/devices/system/cpu/cpu12", 32, 12 },
	{ "offline@/devices/system/cpu/cpu7\0ACTION=offline", 49, REC_HOTPLUG_NONE },
	{ "online@/devices/system/cpu/cpu", 30, REC_HOTPLUG_NONE },
	{ "online@/devices/system/cpu/cpu7x", 32, REC_HOTPLUG_NONE },
	{ "online@/devices/system/cpu/cpu99999999", 38, REC_HOTPLUG_NONE },
	{ "online@/devices/system/memory/memory3", 37, REC_HOTPLUG_NONE },
	{ "add@/devices/system/cpu/cpu7", 28, REC_HOTPLUG_NONE },
	{ "", 0, REC_HOTPLUG_NONE },
};

Test(hotplug, a_message_names_the_cpu_that_came_online)
{
	for (size_t i = 0; i < OWT_ARRAY_SIZE(said); i++)
		cr_expect_eq(rec_hotplug_parse(said[i].message, said[i].len), said[i].cpu, "%s",
			     said[i].message);
}

Test(hotplug, nothing_is_said_where_nothing_happened)
{
	int fd = rec_hotplug_open();

	if (fd < 0)
		cr_skip_test("no uevents here");
	cr_expect_eq(rec_hotplug_next(fd), REC_HOTPLUG_NONE);
	close(fd);
}
