/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's side: finds and opens the file, asks the worker, and believes nothing of what
 * it answers. An answer is the outcome (u32), then for each address the length of its name
 * (u32, 0 for none), the offset from its symbol (u64) and the name.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "elf_job.h"
#include "sym_elf.h"
#include "worker.h"

#define FILE_BYTES_MAX	 (4ll << 30)
#define ANSWER_BYTES_MAX ((size_t)256 << 20)
#define OPEN_FLAGS	 (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

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

static bool take(const char **p, const char *end, void *out, size_t size)
{
	if (end - *p < (ptrdiff_t)size)
		return false;
	memcpy(out, *p, size);
	*p += size;
	return true;
}

/* Walks the answer; hands the names on when fn is given. False when it is not well formed. */
static bool walk_answer(const char *p, const char *end, size_t cnt, rep_elf_name_fn *fn, void *ctx,
			int *out_rc)
{
	uint64_t offset;
	uint32_t len;
	size_t i;

	for (i = 0; i < cnt; i++) {
		if (!take(&p, end, &len, sizeof(len)) || !take(&p, end, &offset, sizeof(offset)) ||
		    len > REP_ELF_NAME_MAX || len > end - p)
			return false;
		if (len && fn)
			*out_rc = fn(ctx, i, p, len, offset);
		if (*out_rc)
			return true;
		p += len;
	}
	return p == end;
}

static int use_answer(const char *answer, size_t len, size_t cnt, rep_elf_name_fn *fn, void *ctx,
		      enum rep_elf_outcome *out_outcome)
{
	const char *p = answer, *end = answer + len;
	uint32_t outcome;
	int rc = 0;

	if (!take(&p, end, &outcome, sizeof(outcome)) || outcome > REP_ELF_FAILED)
		outcome = REP_ELF_FAILED;
	else if (outcome == REP_ELF_READ && !walk_answer(p, end, cnt, NULL, NULL, &rc))
		outcome = REP_ELF_FAILED;
	if (outcome == REP_ELF_READ)
		walk_answer(p, end, cnt, fn, ctx, &rc);
	if (rc == 0)
		*out_outcome = outcome;
	return rc;
}

int rep_elf_names(const struct rep_elf_request *request, rep_elf_name_fn *fn, void *ctx,
		  enum rep_elf_outcome *out_outcome)
{
	int fd = open_file(request), rc;
	char *answer;
	size_t len, limit;

	if (fd < 0) {
		*out_outcome = REP_ELF_NO_FILE;
		return 0;
	}
	if (!owt_fits(request->vaddr_cnt + 1, REP_ELF_NAME_MAX + 12, &limit) ||
	    limit > ANSWER_BYTES_MAX)
		limit = ANSWER_BYTES_MAX;
	rc = rep_worker_run(rep_elf_job, fd, request, limit, &answer, &len);
	close(fd);
	if (rc) {
		*out_outcome = REP_ELF_FAILED;
		return 0;
	}
	rc = use_answer(answer, len, request->vaddr_cnt, fn, ctx, out_outcome);
	free(answer);
	return rc;
}
