/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>
#include "sym_kernel.h"

#define REACH (256 * 1024)

static bool is_padding(const struct owt_ksym *sym)
{
	return sym->name.len >= 6 && memcmp(sym->name.bytes, "__pfx_", 6) == 0;
}

static size_t underscores(const struct owt_ksym *sym)
{
	size_t n = 0;

	while (n < sym->name.len && sym->name.bytes[n] == '_')
		n++;
	return n;
}

static bool is_better(const struct owt_ksym *a, const struct owt_ksym *b)
{
	bool global_a = isupper((unsigned char)a->type), global_b = isupper((unsigned char)b->type);
	size_t lead_a = underscores(a), lead_b = underscores(b);
	size_t len = a->name.len < b->name.len ? a->name.len : b->name.len;

	if (global_a != global_b)
		return global_a;
	if (lead_a != lead_b)
		return lead_a < lead_b;
	if (a->name.len != b->name.len)
		return a->name.len > b->name.len;
	return memcmp(a->name.bytes, b->name.bytes, len) < 0;
}

/* Index of the first symbol above addr. */
static size_t first_above(const struct owt_ksym *syms, size_t cnt, uint64_t addr)
{
	size_t lo = 0, hi = cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct owt_ksym *rep_ksym_find(const struct owt_ksym *syms, size_t cnt, uint64_t addr)
{
	const struct owt_ksym *best = NULL;
	size_t i = first_above(syms, cnt, addr);
	uint64_t start = i ? syms[i - 1].addr : 0;

	if (i == 0 || addr - start > REACH)
		return NULL;
	for (; i && syms[i - 1].addr == start; i--)
		if (!is_padding(&syms[i - 1]) && (!best || is_better(&syms[i - 1], best)))
			best = &syms[i - 1];
	return best;
}
