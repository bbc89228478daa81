/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "elfnames.h"
#include "sym_elf.h"

#define FILE_BYTES_MAX (4ll << 30)
#define OPEN_FLAGS     (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static int open_under(const char *symfs, const char *path)
{
	struct open_how how = {.flags = OPEN_FLAGS, .resolve = RESOLVE_IN_ROOT};
	int dir, fd;

	if (strcmp(symfs, "/") == 0)
		return open(path, OPEN_FLAGS);
	dir = open(symfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	close(dir);
	return fd;
}

/* The path as it can be looked up: absolute, without what the kernel says of its fate. */
static int lookup_path(const struct owt_string *path, char *out, size_t size)
{
	static const char deleted[] = " (deleted)";
	size_t len = path->len, tail = sizeof(deleted) - 1;

	if (len > tail && memcmp(path->bytes + len - tail, deleted, tail) == 0)
		len -= tail;
	if (len == 0 || len >= size || path->bytes[0] != '/' || memchr(path->bytes, 0, len))
		return -ENOENT;
	memcpy(out, path->bytes, len);
	out[len] = 0;
	return 0;
}

static int open_file(const struct rep_elf_request *request)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (lookup_path(&request->path, path, sizeof(path)))
		return -ENOENT;
	fd = open_under(request->symfs, path);
	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > FILE_BYTES_MAX) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

struct naming {
	const uint64_t *vaddrs;
	rep_elf_name_fn *fn;
	void *ctx;
};

static int hand_on(void *ctx, size_t index, const struct elw_symbol *symbol)
{
	const struct naming *n = ctx;

	return n->fn(n->ctx, index, symbol->name, symbol->len, n->vaddrs[index] - symbol->addr);
}

int rep_elf_names(const struct rep_elf_request *request, rep_elf_name_fn *fn, void *ctx,
		  enum rep_elf_outcome *out_outcome)
{
	static const enum rep_elf_outcome outcomes[] = {
		[ELW_READ] = REP_ELF_READ,
		[ELW_OTHER_BUILD] = REP_ELF_OTHER_BUILD,
		[ELW_FAILED] = REP_ELF_FAILED,
	};
	struct elw_request wanted = { request->build_id, request->build_id_len, request->vaddrs,
				      request->vaddr_cnt };
	struct naming naming = { request->vaddrs, fn, ctx };
	enum elw_outcome outcome;
	int fd = open_file(request), rc;

	if (fd < 0) {
		*out_outcome = REP_ELF_NO_FILE;
		return 0;
	}
	rc = elw_names(fd, &wanted, hand_on, &naming, &outcome);
	close(fd);
	if (rc == 0)
		*out_outcome = outcomes[outcome];
	return rc;
}
