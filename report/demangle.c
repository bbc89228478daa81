/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The worker answers a run of names at once: for each its length (u32, 0 for none) and the
 * readable name. When it dies, the run is tried again in parts, until the name at fault stands
 * alone and is left as it is. After some deaths the rest stays mangled: a report ends.
 */
#include <errno.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "demangle.h"
#include "elfworker.h"

#define CPU_SECONDS	 1
#define DEATHS_MAX	 16
#define PARTS		 16
#define ANSWER_BYTES_MAX ((size_t)256 << 20)

/* From here on libiberty refuses a name, for want of stack, unless it is told not to. */
#define LONG_NAME 1024

struct run {
	const struct rep_pool *texts;
	const uint32_t *names;
	size_t cnt;
};

struct readable {
	jmp_buf too_long;
	size_t len;
	char bytes[REP_DEMANGLE_MAX];
};

bool rep_is_mangled(const char *name, size_t len)
{
	return len > 2 && len <= REP_DEMANGLE_MAX && name[0] == '_' &&
	       (name[1] == 'Z' || name[1] == 'R') && !memchr(name, 0, len);
}

static void take_part(const char *part, size_t len, void *ctx)
{
	struct readable *r = ctx;

	if (len > sizeof(r->bytes) - r->len)
		longjmp(r->too_long, 1);
	memcpy(r->bytes + r->len, part, len);
	r->len += len;
}

/* Legacy Rust names are C++ names with a hash at their end, so Rust comes first. */
static void demangle(const char *name, size_t len, struct readable *r)
{
	int options = DMGL_PARAMS | DMGL_ANSI | (len >= LONG_NAME ? DMGL_NO_RECURSE_LIMIT : 0);

	r->len = 0;
	if (setjmp(r->too_long) == 0) {
		if (rust_demangle_callback(name, options, take_part, r))
			return;
		r->len = 0;
		if (cplus_demangle_v3_callback(name, options, take_part, r))
			return;
	}
	r->len = 0;
}

static int demangle_job(int fd, int out_fd, const void *arg)
{
	const struct rlimit cpu = { CPU_SECONDS, CPU_SECONDS };
	struct readable *r = malloc(sizeof(*r));
	const struct run *run = arg;
	FILE *out = fdopen(out_fd, "w");
	size_t i, len;

	(void)fd;
	if (!out || !r || setrlimit(RLIMIT_CPU, &cpu))
		return -1;
	for (i = 0; i < run->cnt; i++) {
		const char *name = rep_pool_get(run->texts, run->names[i], &len);
		uint32_t word;

		demangle(name, len, r);
		word = (uint32_t)r->len;
		fwrite(&word, sizeof(word), 1, out);
		fwrite(r->bytes, 1, r->len, out);
	}
	/* The process ends here: nothing is freed. */
	return fflush(out) || ferror(out) ? -1 : 0;
}

/* 0, -ENOMEM, or -ECHILD when the answer is not well formed. */
static int take_answer(struct rep_pool *texts, const char *answer, size_t len, size_t cnt,
		       uint32_t *out_names)
{
	const char *p = answer, *end = answer + len;
	uint32_t word;
	size_t i;

	for (i = 0; i < cnt; i++, p += word) {
		if (end - p < (ptrdiff_t)sizeof(word))
			return -ECHILD;
		memcpy(&word, p, sizeof(word));
		p += sizeof(word);
		if (word > REP_DEMANGLE_MAX || word > end - p)
			return -ECHILD;
		if (word && rep_pool_put(texts, p, word, &out_names[i]))
			return -ENOMEM;
	}
	return p == end ? 0 : -ECHILD;
}

static int try_run(struct rep_pool *texts, const struct run *run, uint32_t *out_names)
{
	char *answer;
	size_t len;
	int rc = elw_worker_run(demangle_job, -1, run, ANSWER_BYTES_MAX, &answer, &len);

	if (rc)
		return -ECHILD;
	rc = take_answer(texts, answer, len, run->cnt, out_names);
	free(answer);
	return rc;
}

/* The names in ascending order, each once; what there is for each goes to out_names. */
static int demangle_all(struct rep_pool *texts, const uint32_t *names, size_t cnt,
			uint32_t *out_names)
{
	size_t at = 0, step = cnt, bad_end = 0; /* the name at fault lies before bad_end */
	unsigned deaths = 0;

	memcpy(out_names, names, cnt * sizeof(*names));
	while (at < cnt && deaths < DEATHS_MAX) {
		struct run run = { texts, names + at, step < cnt - at ? step : cnt - at };
		int rc = try_run(texts, &run, out_names + at);

		if (rc == -ENOMEM)
			return rc;
		if (rc && run.cnt > 1) {
			bad_end = at + run.cnt;
			step = (run.cnt + PARTS - 1) / PARTS;
		} else {
			at += run.cnt;
			step = rc || at >= bad_end ? cnt : step;
		}
		deaths += rc != 0;
	}
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return owt_cmp_u64(*x, *y);
}

/* The distinct mangled ones among names, ascending. */
static size_t collect_mangled(const struct rep_pool *texts, const uint32_t *names, size_t cnt,
			      uint32_t *out_mangled)
{
	size_t found = 0, kept = 0, i, len;

	for (i = 0; i < cnt; i++) {
		const char *name = names[i] ? rep_pool_get(texts, names[i], &len) : NULL;

		if (name && rep_is_mangled(name, len))
			out_mangled[found++] = names[i];
	}
	qsort(out_mangled, found, sizeof(*out_mangled), by_id);
	for (i = 0; i < found; i++)
		if (kept == 0 || out_mangled[i] != out_mangled[kept - 1])
			out_mangled[kept++] = out_mangled[i];
	return kept;
}

int rep_demangle(struct rep_pool *texts, struct rep_budget *budget, uint32_t *names, size_t cnt)
{
	uint32_t *mangled = rep_alloc(budget, cnt, sizeof(*mangled)), *found;
	uint32_t *readable = rep_alloc(budget, cnt, sizeof(*readable));
	size_t distinct, i;
	int rc = -ENOMEM;

	if (!mangled || !readable)
		goto out;
	distinct = collect_mangled(texts, names, cnt, mangled);
	rc = demangle_all(texts, mangled, distinct, readable);
	for (i = 0; rc == 0 && distinct && i < cnt; i++) {
		found = bsearch(&names[i], mangled, distinct, sizeof(*mangled), by_id);
		if (found)
			names[i] = readable[found - mangled];
	}
out:
	rep_release(budget, mangled, cnt, sizeof(*mangled));
	rep_release(budget, readable, cnt, sizeof(*readable));
	return rc;
}
