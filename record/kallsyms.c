/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "kallsyms.h"
#include "parse.h"
#include "slurp.h"

#define KALLSYMS_BYTES_MAX (256u << 20)

struct rec_kallsyms {
	char *text;
	struct rec_ksym *syms;
	size_t cnt, cap;
};

static char *end_of_word(char *p, const char *end)
{
	while (p < end && *p != ' ' && *p != '\t')
		p++;
	return p;
}

/* Splits one line in place; false for a shape that is not ours. */
static bool parse_line(char *line, char *end, struct rec_ksym *out)
{
	const char *pos = line;
	char *name, *after;
	uint64_t addr;

	if (owt_take_u64(&pos, end, 16, &addr) || end - pos < 4 || pos[0] != ' ' || pos[2] != ' ')
		return false;
	name = line + (pos - line) + 3;
	after = end_of_word(name, end);
	if (after == name)
		return false;
	out->addr = addr;
	out->type = pos[1];
	out->name = name;
	out->module = "";
	if (end - after > 3 && after[1] == '[' && end[-1] == ']') {
		out->module = after + 2;
		end[-1] = '\0';
	}
	*after = '\0';
	*end = '\0';
	return true;
}

static int add(struct rec_kallsyms *k, const struct rec_ksym *sym)
{
	if (k->cnt == k->cap) {
		size_t cap = k->cap ? k->cap * 2 : 65536;
		struct rec_ksym *more = reallocarray(k->syms, cap, sizeof(*more));

		if (!more)
			return -ENOMEM;
		k->syms = more;
		k->cap = cap;
	}
	k->syms[k->cnt++] = *sym;
	return 0;
}

static int by_addr_then_name(const void *a, const void *b)
{
	const struct rec_ksym *x = a, *y = b;
	int order = owt_cmp_u64(x->addr, y->addr);

	return order ? order : strcmp(x->name, y->name);
}

static bool is_text(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

int rec_kallsyms_parse(char *text, size_t len, struct rec_kallsyms **out)
{
	struct rec_kallsyms *k = calloc(1, sizeof(*k));
	char *line = text, *end = text + len, *eol;
	struct rec_ksym sym;
	int err = 0;

	if (!k) {
		free(text);
		return -ENOMEM;
	}
	k->text = text;
	for (; line < end && !err; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(end - line));
		if (!eol)
			break; /* a last line without end was cut */
		if (parse_line(line, eol, &sym) && is_text(sym.type) && sym.addr)
			err = add(k, &sym);
	}
	if (!err && !k->cnt)
		err = -ENODATA;
	if (err) {
		rec_kallsyms_free(k);
		return err;
	}
	qsort(k->syms, k->cnt, sizeof(*k->syms), by_addr_then_name);
	*out = k;
	return 0;
}

int rec_kallsyms_load(struct rec_kallsyms **out, struct owt_err *err)
{
	char *text;
	size_t len;
	int ret;

	ret = rec_slurp(AT_FDCWD, "/proc/kallsyms", KALLSYMS_BYTES_MAX, &text, &len);
	if (!ret)
		ret = rec_kallsyms_parse(text, len, out);
	if (ret == -ENODATA)
		return owt_fail(err, -OWT_E_UNAVAILABLE,
				"/proc/kallsyms shows no addresses: set kernel.kptr_restrict to 0 "
				"or 1 and record as root (CAP_SYSLOG)");
	if (ret)
		return owt_fail(err, ret, "cannot read /proc/kallsyms: %s", owt_strerror(ret));
	return 0;
}

size_t rec_kallsyms_cnt(const struct rec_kallsyms *k)
{
	return k->cnt;
}

const struct rec_ksym *rec_kallsyms_at(const struct rec_kallsyms *k, size_t i)
{
	return &k->syms[i];
}

bool rec_kallsyms_find(const struct rec_kallsyms *k, const char *name, uint64_t *out_start,
		       uint64_t *out_end)
{
	for (size_t i = 0; i < k->cnt; i++) {
		size_t next = i + 1;

		if (*k->syms[i].module || strcmp(k->syms[i].name, name))
			continue;
		while (next < k->cnt && k->syms[next].addr == k->syms[i].addr)
			next++;
		*out_start = k->syms[i].addr;
		*out_end = next < k->cnt ? k->syms[next].addr : UINT64_MAX;
		return true;
	}
	return false;
}

const struct rec_ksym *rec_kallsyms_cover(const struct rec_kallsyms *k, uint64_t addr)
{
	size_t low = 0, high = k->cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (k->syms[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &k->syms[low - 1] : NULL;
}

void rec_kallsyms_free(struct rec_kallsyms *k)
{
	if (!k)
		return;
	free(k->syms);
	free(k->text);
	free(k);
}
