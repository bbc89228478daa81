/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames are distinct (space, tgid, address) triples in a pool; frames[id - 1] says what is
 * known of each. Kernel frames get their names at once; user frames first get their place in
 * a module, then those without a name are sorted by module, and each module's file is read
 * once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "demangle.h"
#include "maps.h"
#include "symbolize.h"
#include "sym_elf.h"
#include "sym_kernel.h"
#include "sym_recorded.h"

struct frame_key {
	uint64_t addr;
	struct rep_image image; /* zeros for the kernel */
};

struct stack_key {
	struct rep_image image;
	uint32_t space, stack;
};

struct rep_symbols {
	const struct rep_trace *trace;
	const char *symfs;
	struct rep_pool *texts, *stacks, *frame_keys;
	struct rep_budget *budget;
	struct rep_maps *maps;
	struct rep_recorded *recorded;
	struct rep_table frames;
	struct rep_symbols_stats stats;
};

const char *rep_unresolved_text(unsigned why)
{
	static const char *const texts[REP_UNRES_CNT] = {
		[REP_UNRES_NO_MAPPING] = "not in a known mapping",
		[REP_UNRES_ANONYMOUS] = "not in a file",
		[REP_UNRES_NO_BUILD_ID] = "in a file without a build-id",
		[REP_UNRES_NO_FILE] = "file not found",
		[REP_UNRES_OTHER_BUILD] = "build-id differs",
		[REP_UNRES_BAD_FILE] = "file not readable as ELF",
		[REP_UNRES_NO_SYMBOL] = "no symbol there",
		[REP_UNRES_NO_KSYMS] = "no kernel symbols recorded",
	};

	return why < REP_UNRES_CNT ? texts[why] : "unknown";
}

struct rep_symbols *rep_symbols_new(const struct rep_trace *trace, const char *symfs,
				    struct rep_pool *texts, struct rep_budget *budget)
{
	struct rep_symbols *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->trace = trace;
	s->symfs = symfs;
	s->texts = texts;
	s->budget = budget;
	rep_table_init(&s->frames, sizeof(struct rep_frame));
	s->stacks = rep_pool_new(budget);
	s->frame_keys = rep_pool_new(budget);
	s->maps = rep_maps_new(trace, budget);
	s->recorded = rep_recorded_new(trace, budget);
	if (s->stacks && s->frame_keys && s->maps && s->recorded)
		return s;
	rep_symbols_free(s);
	return NULL;
}

/* Builds a name in a buffer that grows as it must, and makes it a text. */
static int put_name(struct rep_symbols *s, uint32_t *out_id, const char *bytes, size_t len,
		    const char *fmt, uint64_t number)
{
	char small[320], *name = len + 64 > sizeof(small) ? malloc(len + 64) : small;
	int rc;

	if (!name)
		return -ENOMEM;
	memcpy(name, bytes, len);
	len += (size_t)snprintf(name + len, 64, "%s0x%llx", fmt, (unsigned long long)number);
	rc = rep_pool_put(s->texts, name, len, out_id);
	if (name != small)
		free(name);
	return rc;
}

static void give_up(struct rep_symbols *s, struct rep_frame *frame, enum rep_unresolved why)
{
	s->stats.unresolved[why]++;
	frame->why = (uint16_t)why;
}

static int put_unresolved(struct rep_symbols *s, struct rep_frame *frame, enum rep_unresolved why,
			  const char *name)
{
	give_up(s, frame, why);
	return rep_pool_put(s->texts, name, strlen(name), &frame->name);
}

/* What people see of a kernel symbol: with its module, where there is one. */
static int name_kernel_frame(struct rep_symbols *s, struct rep_frame *frame)
{
	const struct owt_string *module = &s->trace->ksyms[frame->ksym - 1].module;
	const char *symbol;
	size_t len, size;
	char *name;
	int rc;

	symbol = rep_pool_get(s->texts, frame->symbol, &len);
	frame->name = frame->symbol;
	if (module->len == 0)
		return 0;
	size = len + module->len + 3;
	name = malloc(size);
	if (!name)
		return -ENOMEM;
	memcpy(name, symbol, len);
	memcpy(name + len, " [", 2);
	memcpy(name + len + 2, module->bytes, module->len);
	name[size - 1] = ']';
	rc = rep_pool_put(s->texts, name, size, &frame->name);
	free(name);
	return rc;
}

static int place_kernel(struct rep_symbols *s, uint64_t addr, struct rep_frame *frame)
{
	const struct owt_ksym *sym;

	if (s->trace->ksym_cnt == 0)
		return put_unresolved(s, frame, REP_UNRES_NO_KSYMS, "[unknown]");
	sym = rep_ksym_find(s->trace->ksyms, s->trace->ksym_cnt, addr - 1);
	if (!sym) {
		give_up(s, frame, REP_UNRES_NO_SYMBOL);
		return put_name(s, &frame->name, "[kernel]", 8, "+", addr);
	}
	s->stats.resolved++;
	frame->offset = addr - sym->addr;
	frame->ksym = (uint32_t)(sym - s->trace->ksyms) + 1;
	if (rep_pool_put(s->texts, sym->name.bytes, sym->name.len, &frame->symbol))
		return -ENOMEM;
	return name_kernel_frame(s, frame);
}

/* What a module is called in frames: the last part of its path, without " (deleted)". */
static struct owt_string base_name(const struct owt_string *path)
{
	static const char deleted[] = " (deleted)";
	size_t len = path->len, tail = sizeof(deleted) - 1, start;

	if (len > tail && memcmp(path->bytes + len - tail, deleted, tail) == 0)
		len -= tail;
	for (start = len; start && path->bytes[start - 1] != '/'; start--)
		;
	if (path->bytes[0] == '[' || start == len)
		start = 0;
	return (struct owt_string){path->bytes + start, len - start};
}

/* A mapping of no file: anonymous memory, or one the kernel names in brackets. */
static bool is_anonymous(const struct rep_trace *t, const struct owt_mapping *m,
			 struct owt_string *out_name)
{
	const struct owt_string *path = &t->strings[t->modules[m->module].path];

	if (m->module && path->len && path->bytes[0] == '[' &&
	    !t->modules[m->module].segment_cnt) { /* the vDSO is a file all the same */
		*out_name = base_name(path);
		return true;
	}
	*out_name = (struct owt_string){"[anon]", 6};
	return m->module == 0 || path->len == 0 ||
	       (path->len >= 2 && memcmp(path->bytes, "//", 2) == 0);
}

static int name_by_offset(struct rep_symbols *s, struct rep_frame *frame, enum rep_unresolved why)
{
	const struct rep_trace *t = s->trace;
	struct owt_string base = base_name(&t->strings[t->modules[frame->module].path]);

	give_up(s, frame, why);
	return put_name(s, &frame->name, base.bytes, base.len, "+", frame->vaddr);
}

static int take_symbol(struct rep_symbols *s, struct rep_frame *frame,
		       const struct owt_symbol *symbol, uint64_t addr)
{
	s->stats.resolved++;
	frame->offset = addr - symbol->addr;
	if (rep_pool_put(s->texts, symbol->name.bytes, symbol->name.len, &frame->symbol))
		return -ENOMEM;
	frame->name = frame->symbol;
	return 0;
}

static int place_user(struct rep_symbols *s, struct rep_image image, uint64_t addr,
		      struct rep_frame *frame)
{
	const struct owt_mapping *m;
	const struct owt_symbol *symbol;
	const struct owt_module *module;
	struct owt_string name;

	if (rep_maps_find(s->maps, image, addr - 1, &m))
		return -ENOMEM;
	if (!m)
		return put_unresolved(s, frame, REP_UNRES_NO_MAPPING, "[unknown]");
	if (is_anonymous(s->trace, m, &name)) {
		frame->module = m->module;
		frame->vaddr = addr - m->start;
		symbol = rep_recorded_find(s->recorded, 0, m->process, addr - 1);
		if (symbol)
			return take_symbol(s, frame, symbol, addr);
		give_up(s, frame, REP_UNRES_ANONYMOUS);
		return put_name(s, &frame->name, name.bytes, name.len, "+", addr - m->start);
	}
	module = &s->trace->modules[m->module];
	/* The byte before: a call may be the last instruction of its function. */
	frame->vaddr = owt_module_vaddr(module, addr - 1 - m->start + m->offset) + 1;
	frame->module = m->module;
	symbol = rep_recorded_find(s->recorded, m->module, 0, frame->vaddr - 1);
	if (symbol)
		return take_symbol(s, frame, symbol, frame->vaddr);
	if (module->build_id_len == 0)
		return name_by_offset(s, frame, REP_UNRES_NO_BUILD_ID);
	return 0;
}

static int want_frame(struct rep_symbols *s, enum rep_space space, struct rep_image image,
		      uint64_t addr)
{
	struct frame_key key = {addr, image};
	struct rep_frame frame = {.addr = addr, .space = (uint16_t)space};
	uint32_t id;
	int rc;

	if (rep_pool_put(s->frame_keys, &key, sizeof(key), &id))
		return -ENOMEM;
	if (id <= s->frames.cnt)
		return 0;
	s->stats.frames++;
	rc = space == REP_SPACE_KERNEL ? place_kernel(s, addr, &frame)
				       : place_user(s, image, addr, &frame);
	return rc ? rc : rep_table_push(s->budget, &s->frames, &frame);
}

static struct rep_image image_in(enum rep_space space, struct rep_image image)
{
	return space == REP_SPACE_KERNEL ? (struct rep_image){ 0, 0 } : image;
}

int rep_symbols_want(struct rep_symbols *s, enum rep_space space, struct rep_image image,
		     uint32_t stack)
{
	struct stack_key key = { image_in(space, image), (uint32_t)space, stack };
	uint32_t known = rep_pool_cnt(s->stacks), id, node;
	int rc;

	if (stack == 0)
		return 0;
	rc = rep_pool_put(s->stacks, &key, sizeof(key), &id);
	if (rc || id <= known)
		return rc;
	for (node = s->trace->stacks[stack].leaf; node && rc == 0;
	     node = s->trace->nodes[node].parent)
		rc = want_frame(s, space, key.image, s->trace->nodes[node].addr);
	return rc;
}

/* One module's frames while its file is read. */
struct batch {
	struct rep_symbols *s;
	struct rep_frame **frames; /* by module, then vaddr */
	size_t cnt;
	uint64_t *vaddrs; /* of the bytes before */
};

static int take_name(void *ctx, size_t index, const char *name, size_t len, uint64_t offset)
{
	struct batch *b = ctx;
	struct rep_frame *frame = b->frames[index];

	b->s->stats.resolved++;
	frame->offset = offset + 1;
	if (rep_pool_put(b->s->texts, name, len, &frame->symbol))
		return -ENOMEM;
	frame->name = frame->symbol;
	return 0;
}

static enum rep_unresolved why_unnamed(enum rep_elf_outcome outcome)
{
	switch (outcome) {
	case REP_ELF_READ:
		return REP_UNRES_NO_SYMBOL;
	case REP_ELF_NO_FILE:
		return REP_UNRES_NO_FILE;
	case REP_ELF_OTHER_BUILD:
		return REP_UNRES_OTHER_BUILD;
	case REP_ELF_FAILED:
		break;
	}
	return REP_UNRES_BAD_FILE;
}

static int resolve_module(struct batch *b)
{
	struct rep_symbols *s = b->s;
	uint32_t id = b->frames[0]->module;
	const struct owt_module *module = &s->trace->modules[id];
	struct rep_elf_request request = {s->symfs,	    s->trace->strings[module->path],
					  module->build_id, module->build_id_len,
					  b->vaddrs,	    b->cnt};
	enum rep_elf_outcome outcome;
	size_t i;
	int rc;

	for (i = 0; i < b->cnt; i++)
		b->vaddrs[i] = b->frames[i]->vaddr - 1;
	rc = rep_elf_names(&request, take_name, b, &outcome);
	for (i = 0; rc == 0 && i < b->cnt; i++)
		if (!b->frames[i]->name)
			rc = name_by_offset(s, b->frames[i], why_unnamed(outcome));
	return rc;
}

static int by_place(const void *a, const void *b)
{
	const struct rep_frame *const *x = a, *const *y = b;

	if ((*x)->module != (*y)->module)
		return owt_cmp_u64((*x)->module, (*y)->module);
	return owt_cmp_u64((*x)->vaddr, (*y)->vaddr);
}

static int resolve_sorted(struct rep_symbols *s, struct rep_frame **frames, uint64_t *vaddrs,
			  size_t cnt)
{
	struct batch b = {.s = s, .vaddrs = vaddrs};
	size_t i, end;
	int rc = 0;

	for (i = 0; rc == 0 && i < cnt; i = end) {
		for (end = i; end < cnt && frames[end]->module == frames[i]->module; end++)
			;
		b.frames = frames + i;
		b.cnt = end - i;
		rc = resolve_module(&b);
	}
	return rc;
}

int rep_symbols_resolve(struct rep_symbols *s)
{
	size_t all = s->frames.cnt, cnt = 0, i;
	struct rep_frame **frames = rep_alloc(s->budget, all, sizeof(struct rep_frame *));
	uint64_t *vaddrs = rep_alloc(s->budget, all, sizeof(*vaddrs));
	int rc = -ENOMEM;

	if (!frames || !vaddrs)
		goto out;
	for (i = 0; i < all; i++) {
		struct rep_frame *frame = rep_table_at(&s->frames, i);

		if (!frame->name)
			frames[cnt++] = frame;
	}
	qsort(frames, cnt, sizeof(struct rep_frame *), by_place);
	rc = resolve_sorted(s, frames, vaddrs, cnt);
out:
	rep_release(s->budget, frames, all, sizeof(struct rep_frame *));
	rep_release(s->budget, vaddrs, all, sizeof(*vaddrs));
	return rc;
}

int rep_symbols_demangle(struct rep_symbols *s)
{
	size_t cnt = s->frames.cnt, i;
	uint32_t *symbols = rep_alloc(s->budget, cnt, sizeof(*symbols));
	struct rep_frame *frames = s->frames.items;
	int rc = symbols ? 0 : -ENOMEM;

	for (i = 0; rc == 0 && i < cnt; i++)
		symbols[i] = frames[i].symbol;
	if (rc == 0)
		rc = rep_demangle(s->texts, s->budget, symbols, cnt);
	for (i = 0; rc == 0 && i < cnt; i++) {
		if (symbols[i] == frames[i].symbol)
			continue;
		frames[i].mangled = frames[i].symbol;
		frames[i].symbol = frames[i].name = symbols[i];
		if (frames[i].ksym)
			rc = name_kernel_frame(s, &frames[i]);
	}
	rep_release(s->budget, symbols, cnt, sizeof(*symbols));
	return rc;
}

const struct rep_frame *rep_symbols_frame(const struct rep_symbols *s, enum rep_space space,
					  struct rep_image image, uint64_t addr)
{
	struct frame_key key = { addr, image_in(space, image) };
	uint32_t id = rep_pool_find(s->frame_keys, &key, sizeof(key));

	return id == 0 ? NULL : rep_table_at(&s->frames, id - 1);
}

const struct rep_symbols_stats *rep_symbols_stats(const struct rep_symbols *s)
{
	return &s->stats;
}

void rep_symbols_free(struct rep_symbols *s)
{
	if (!s)
		return;
	rep_maps_free(s->maps);
	rep_recorded_free(s->recorded);
	rep_pool_free(s->stacks);
	rep_pool_free(s->frame_keys);
	rep_table_done(s->budget, &s->frames);
	free(s);
}
