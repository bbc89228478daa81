/* SPDX-License-Identifier: Apache-2.0 */
/* Code made at run time, which sleeps, and the map in /tmp that names it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "wl.h"

#if defined(__x86_64__)
/* A frame, the nanosleep system call with the caller's arguments, and back. */
static const unsigned char ow_jit_code[] = { 0x55, 0x48, 0x89, 0xe5, 0xb8, 0x23, 0x00,
					     0x00, 0x00, 0x0f, 0x05, 0x5d, 0xc3 };
#else
static const unsigned char ow_jit_code[] = { 0 };
#endif

typedef long ow_jit_fn(const struct timespec *req, struct timespec *rem);

static void ow_jit_write_map(const void *code, const char *path)
{
	FILE *map = fopen(path, "we");

	if (!map || fprintf(map, "%lx %zx ow_jit_sleeps in script.x:3\n", (unsigned long)code,
			    sizeof(ow_jit_code)) < 0 || fclose(map)) {
		perror(path);
		exit(1);
	}
}

/* jit [SLEEPS [US]]: prints "ready jit TID TGID", sleeps, and removes its map. */
void wl_jit(struct wl *wl)
{
	const struct timespec nap = { .tv_nsec = (long)wl_arg(wl, 1, 5000) * 1000 };
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	ow_jit_fn *fn;

	if (sizeof(ow_jit_code) == 1 || code == MAP_FAILED) {
		fprintf(stderr, "jit: no code for this machine\n");
		exit(1);
	}
	memcpy(code, ow_jit_code, sizeof(ow_jit_code));
	memcpy(&fn, &code, sizeof(fn));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	ow_jit_write_map(code, path);
	for (uint64_t i = 0; i < wl_arg(wl, 0, 100); i++)
		(void)fn(&nap, NULL);
	unlink(path);
	exit(0);
}
