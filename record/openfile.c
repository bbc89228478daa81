/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "openfile.h"

#define VDSO_BYTES_MAX (64u << 10)

/* fd was opened with O_PATH and is closed here. */
static int reopen_regular(int fd)
{
	char again[32];
	struct stat st;
	int real = -1;

	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
		real = open(again, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	close(fd);
	return real;
}

int rec_open_regular(int dirfd, const char *path)
{
	return reopen_regular(openat(dirfd, path, O_PATH | O_CLOEXEC));
}

int rec_open_in_root(int root_fd, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	return reopen_regular((int)syscall(SYS_openat2, root_fd, path, &how, sizeof(how)));
}

int rec_open_vdso(size_t bytes)
{
	const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR); /* NOLINT: an address */
	int fd;

	if (!vdso || bytes > VDSO_BYTES_MAX)
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, vdso, bytes) != (ssize_t)bytes) {
		close(fd);
		return -1;
	}
	return fd;
}
