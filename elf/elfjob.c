/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All function symbols are read once and sorted by address, the best of several at one
 * address first; max_end tells a look-up when no earlier symbol can reach the address.
 */
#include <errno.h>
#include <gelf.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "elfjob.h"
#include "elfnames.h"
#include "elfworker.h"

#define DEBUGDATA_BYTES_MAX ((size_t)128 << 20)

struct sym {
	uint64_t start, end;
	uint64_t max_end; /* of all up to this one */
	const char *name;
	bool sized, weak, global;
};

struct syms {
	struct sym *items;
	size_t cnt, cap;
};

static bool note_matches(Elf_Data *data, const struct elw_request *request, bool *out_found)
{
	size_t at = 0, next, name, desc;
	GElf_Nhdr note;

	while ((next = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		const char *bytes = data->d_buf;

		at = next;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp(bytes + name, "GNU", 4) != 0)
			continue;
		*out_found = true;
		return note.n_descsz == request->build_id_len &&
		       memcmp(bytes + desc, request->build_id, note.n_descsz) == 0;
	}
	return false;
}

/* Notes by program header, as the kernel sees them; by section in files that have none. */
static bool build_id_matches(Elf *elf, const struct elw_request *request)
{
	Elf_Scn *scn = NULL;
	bool found = false, matches = false;
	GElf_Phdr ph;
	GElf_Shdr sh;
	size_t cnt, i;

	if (elf_getphdrnum(elf, &cnt))
		cnt = 0;
	for (i = 0; i < cnt && !found; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz,
					    ph.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data)
			matches = note_matches(data, request, &found);
	}
	while (!found && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data = gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE
					 ? elf_getdata(scn, NULL)
					 : NULL;

		if (data)
			matches = note_matches(data, request, &found);
	}
	return matches;
}

static bool section_of(Elf *elf, const GElf_Sym *sym, GElf_Shdr *out)
{
	Elf_Scn *scn = sym->st_shndx < SHN_LORESERVE ? elf_getscn(elf, sym->st_shndx) : NULL;

	return scn && gelf_getshdr(scn, out);
}

static bool in_code(Elf *elf, const GElf_Sym *sym)
{
	GElf_Shdr sh;

	return section_of(elf, sym, &sh) && (sh.sh_flags & SHF_EXECINSTR);
}

static bool is_function(Elf *elf, const GElf_Sym *sym)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (sym->st_shndx == SHN_UNDEF)
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	return type == STT_NOTYPE && in_code(elf, sym);
}

static int add_sym(struct syms *syms, const struct sym *sym)
{
	if (syms->cnt == syms->cap) {
		size_t cap = syms->cap ? syms->cap * 2 : 1024;
		struct sym *items = reallocarray(syms->items, cap, sizeof(*items));

		if (!items)
			return -ENOMEM;
		syms->items = items;
		syms->cap = cap;
	}
	syms->items[syms->cnt++] = *sym;
	return 0;
}

/*
 * A symbol without a size reaches to the next one in .symtab, which is complete, or to the
 * end of its section; .dynsym is sparse, there it names its own first byte only.
 */
static uint64_t end_of(Elf *elf, const GElf_Sym *sym, bool complete)
{
	uint64_t end;
	GElf_Shdr sh;

	if (sym->st_size)
		return __builtin_add_overflow(sym->st_value, sym->st_size, &end) ? UINT64_MAX : end;
	if (complete && section_of(elf, sym, &sh) && sh.sh_addr <= sym->st_value &&
	    !__builtin_add_overflow(sh.sh_addr, sh.sh_size, &end))
		return end;
	return owt_sat_add(sym->st_value, 1);
}

static int read_table(Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh, struct syms *syms)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	bool complete = sh->sh_type == SHT_SYMTAB;
	size_t cnt = data && sh->sh_entsize ? data->d_size / sh->sh_entsize : 0, i;
	GElf_Sym s;

	for (i = 0; i < cnt && i <= INT32_MAX && gelf_getsym(data, (int)i, &s); i++) {
		unsigned bind = GELF_ST_BIND(s.st_info);
		struct sym sym = { .start = s.st_value,
				   .end = end_of(elf, &s, complete),
				   .sized = s.st_size != 0,
				   .weak = bind == STB_WEAK,
				   .global = bind == STB_GLOBAL || bind == STB_GNU_UNIQUE };

		if (!is_function(elf, &s))
			continue;
		sym.name = elf_strptr(elf, sh->sh_link, s.st_name);
		/* $x and the like mark code and data on some architectures. */
		if (!sym.name || !sym.name[0] || sym.name[0] == '$')
			continue;
		if (add_sym(syms, &sym))
			return -ENOMEM;
	}
	return 0;
}

/* .symtab and .dynsym both: after stripping, only the second is there. */
static int read_tables(Elf *elf, struct syms *syms)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int rc = 0;

	while (rc == 0 && (scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			rc = read_table(elf, scn, &sh, syms);
	return rc;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* By address, then the better name first. */
static int by_start(const void *a, const void *b)
{
	const struct sym *x = a, *y = b;
	size_t len_x, len_y;

	if (x->start != y->start)
		return owt_cmp_u64(x->start, y->start);
	if (x->sized != y->sized)
		return x->sized ? -1 : 1;
	if (x->weak != y->weak)
		return x->weak ? 1 : -1;
	if (x->global != y->global)
		return x->global ? -1 : 1;
	if (underscores(x->name) != underscores(y->name))
		return owt_cmp_u64(underscores(x->name), underscores(y->name));
	len_x = strlen(x->name);
	len_y = strlen(y->name);
	if (len_x != len_y)
		return owt_cmp_u64(len_y, len_x);
	return strcmp(x->name, y->name);
}

static void sort_syms(struct syms *syms)
{
	uint64_t next = UINT64_MAX, max_end = 0;
	size_t i;

	if (syms->cnt)
		qsort(syms->items, syms->cnt, sizeof(*syms->items), by_start);
	for (i = syms->cnt; i-- > 0;) {
		struct sym *sym = &syms->items[i];

		if (i + 1 < syms->cnt && syms->items[i + 1].start != sym->start)
			next = syms->items[i + 1].start;
		if (!sym->sized && sym->end > next)
			sym->end = next;
	}
	for (i = 0; i < syms->cnt; i++) {
		if (syms->items[i].end > max_end)
			max_end = syms->items[i].end;
		syms->items[i].max_end = max_end;
	}
}

static const struct sym *find(const struct syms *syms, uint64_t vaddr)
{
	const struct sym *best = NULL;
	size_t lo = 0, hi = syms->cnt;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (syms->items[mid].start <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo-- > 0 && syms->items[lo].max_end > vaddr;) {
		const struct sym *sym = &syms->items[lo];

		if (best && best->start != sym->start)
			break;
		if (vaddr < sym->end)
			best = sym;
	}
	return best;
}

static int answer_names(int out_fd, const struct elw_request *request, const struct syms *syms)
{
	FILE *out = fdopen(out_fd, "w");
	uint32_t word = ELW_READ;
	size_t i;

	if (!out)
		return -1;
	fwrite(&word, sizeof(word), 1, out);
	for (i = 0; i < request->vaddr_cnt; i++) {
		const struct sym *sym = find(syms, request->vaddrs[i]);
		uint64_t range[2] = { 0, 0 };

		if (sym) {
			range[0] = sym->start;
			range[1] = sym->end - sym->start;
		}
		word = sym ? (uint32_t)strnlen(sym->name, ELW_NAME_MAX) : 0;
		fwrite(&word, sizeof(word), 1, out);
		fwrite(range, sizeof(range), 1, out);
		if (sym)
			fwrite(sym->name, 1, word, out);
	}
	return fflush(out) || ferror(out) ? -1 : 0;
}

/*
 * .gnu_debugdata, "MiniDebugInfo": an xz-compressed ELF file that holds the .symtab of the
 * functions that .dynsym does not have. The memory stays: names point into it.
 */
static char *unpack(const Elf_Data *data, size_t *out_len)
{
	uint64_t memory_limit = DEBUGDATA_BYTES_MAX;
	size_t in = 0, out = 0;
	char *bytes = malloc(DEBUGDATA_BYTES_MAX);

	if (!bytes ||
	    lzma_stream_buffer_decode(&memory_limit, 0, NULL, data->d_buf, &in, data->d_size,
				      (uint8_t *)bytes, &out, DEBUGDATA_BYTES_MAX) != LZMA_OK)
		return NULL;
	*out_len = out;
	return bytes;
}

static int read_debugdata(Elf *elf, struct syms *syms)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t strings, len;

	if (elf_getshdrstrndx(elf, &strings))
		return 0;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, strings, sh.sh_name) : NULL;
		Elf_Data *data =
			name && !strcmp(name, ".gnu_debugdata") ? elf_rawdata(scn, NULL) : NULL;
		char *bytes = data && data->d_size ? unpack(data, &len) : NULL;
		Elf *inner = bytes ? elf_memory(bytes, len) : NULL;

		if (inner)
			return read_tables(inner, syms);
	}
	return 0;
}

int elw_names_job(int fd, int out_fd, const void *arg)
{
	const struct elw_request *request = arg;
	struct syms syms = { 0 };
	uint32_t outcome = ELW_FAILED;
	Elf *elf;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -1;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		outcome = !request->build_id || build_id_matches(elf, request) ? ELW_READ
									       : ELW_OTHER_BUILD;
	if (outcome != ELW_READ)
		return elw_worker_write(out_fd, &outcome, sizeof(outcome));
	if (read_tables(elf, &syms) || read_debugdata(elf, &syms))
		return -1;
	sort_syms(&syms);
	/* The process ends here: nothing is freed. */
	return answer_names(out_fd, request, &syms);
}
