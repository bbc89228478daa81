/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An answer is the outcome (u32), then for each address the length of the function's name
 * (u32, 0 for none), its address and size (u64 each) and the name.
 */
#include <stdlib.h>
#include <string.h>
#include "elfjob.h"
#include "elfnames.h"
#include "elfworker.h"

#define ANSWER_BYTES_MAX ((size_t)256 << 20)
#define SYMBOL_BYTES_MAX (ELW_NAME_MAX + 20)

struct answer {
	const char *at, *end;
};

static bool take(struct answer *a, void *to, size_t len)
{
	if ((size_t)(a->end - a->at) < len)
		return false;
	memcpy(to, a->at, len);
	a->at += len;
	return true;
}

/* One function, for an address it must cover; len 0 for none. */
static bool take_symbol(struct answer *a, uint64_t vaddr, struct elw_symbol *out)
{
	uint32_t len;

	if (!take(a, &len, sizeof(len)) || !take(a, &out->addr, sizeof(out->addr)) ||
	    !take(a, &out->size, sizeof(out->size)))
		return false;
	if (len > ELW_NAME_MAX || len > (size_t)(a->end - a->at))
		return false;
	out->name = a->at;
	out->len = len;
	a->at += len;
	return !len || (out->addr <= vaddr && vaddr - out->addr < out->size &&
			out->size <= UINT64_MAX - out->addr);
}

/* Walks the answer, handing the functions on when fn is given; false when it is not whole. */
static bool walk(struct answer a, const struct elw_request *request, elw_symbol_fn *fn, void *ctx,
		 int *out_ret)
{
	struct elw_symbol symbol;

	for (size_t i = 0; i < request->vaddr_cnt; i++) {
		if (!take_symbol(&a, request->vaddrs[i], &symbol))
			return false;
		if (symbol.len && fn)
			*out_ret = fn(ctx, i, &symbol);
		if (*out_ret)
			return true;
	}
	return a.at == a.end;
}

size_t elw_answer_limit(const struct elw_request *request)
{
	size_t limit;

	if (!owt_fits(request->vaddr_cnt + 1, SYMBOL_BYTES_MAX, &limit) || limit > ANSWER_BYTES_MAX)
		return ANSWER_BYTES_MAX;
	return limit;
}

int elw_take_answer(const char *bytes, size_t len, const struct elw_request *request,
		    elw_symbol_fn *fn, void *ctx, enum elw_outcome *out_outcome)
{
	struct answer a = { bytes, bytes + len };
	uint32_t outcome = ELW_FAILED;
	int ret = 0;

	if (!take(&a, &outcome, sizeof(outcome)) || outcome > ELW_FAILED ||
	    (outcome == ELW_READ && !walk(a, request, NULL, NULL, &ret)))
		outcome = ELW_FAILED;
	if (outcome == ELW_READ)
		(void)walk(a, request, fn, ctx, &ret);
	*out_outcome = outcome;
	return ret;
}

int elw_names(int fd, const struct elw_request *request, elw_symbol_fn *fn, void *ctx,
	      enum elw_outcome *out_outcome)
{
	size_t len;
	char *bytes;
	int ret;

	*out_outcome = ELW_FAILED;
	if (elw_worker_run(elw_names_job, fd, request, elw_answer_limit(request), &bytes, &len))
		return 0;
	ret = elw_take_answer(bytes, len, request, fn, ctx, out_outcome);
	free(bytes);
	return ret;
}
