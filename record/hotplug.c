/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "hotplug.h"
#include "parse.h"

#define KERNEL_GROUP 1
#define CPU_MAX	     65535

int rec_hotplug_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);
	int ret;

	if (fd < 0)
		return -errno;
	if (!bind(fd, (struct sockaddr *)&address, sizeof(address)))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

/* A message begins with what happened and to whom, ended by a zero (lib/kobject_uevent.c). */
int rec_hotplug_parse(const char *message, size_t len)
{
	static const char online[] = "online@/devices/system/cpu/cpu";
	const size_t head = sizeof(online) - 1;
	size_t end = strnlen(message, len);
	const char *pos = message + head;
	uint64_t cpu;

	if (end < head || memcmp(message, online, head) != 0)
		return REC_HOTPLUG_NONE;
	if (owt_take_u64(&pos, message + end, 10, &cpu) || pos != message + end || cpu > CPU_MAX)
		return REC_HOTPLUG_NONE;
	return (int)cpu;
}

int rec_hotplug_next(int fd)
{
	struct sockaddr_nl from;
	char message[4096];
	socklen_t len;
	ssize_t n;
	int cpu;

	for (;;) {
		len = sizeof(from);
		n = recvfrom(fd, message, sizeof(message), 0, (struct sockaddr *)&from, &len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == ENOBUFS ? REC_HOTPLUG_UNKNOWN : REC_HOTPLUG_NONE;
		/* anybody may send to us; the kernel's own messages are from port 0 */
		cpu = from.nl_pid ? REC_HOTPLUG_NONE : rec_hotplug_parse(message, (size_t)n);
		if (cpu >= 0)
			return cpu;
	}
}
