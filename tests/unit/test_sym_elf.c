/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file is made with libelf by the test itself, so that each symbol is known.
 */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base.h"
#include "sym_elf.h"

#define TEXT_ADDR 0x1000
#define TEXT_SIZE 0x1000

static const uint8_t build_id[8] = {1, 2, 3, 4, 5, 6, 7, 8};

struct wanted {
	const char *name;
	uint64_t value, size;
	unsigned char info;
};

static Elf_Data *add_section(Elf *elf, GElf_Word name, GElf_Word type, GElf_Shdr more, void *buf,
			     size_t size, Elf_Type kind)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = elf_newdata(scn);

	data->d_buf = buf;
	data->d_size = size;
	data->d_type = kind;
	data->d_align = 8;
	data->d_version = EV_CURRENT;
	more.sh_name = name;
	more.sh_type = type;
	gelf_update_shdr(scn, &more);
	return data;
}

/* Sections: 1 text, 2 note, 3 symbols, 4 their names, 5 the section names. */
static void make_elf(const char *path, GElf_Word symtab_type, const struct wanted *syms, size_t cnt)
{
	static char section_names[] = "\0.text\0.note\0.sym\0.str\0.shstr";
	char text[TEXT_SIZE] = {0}, names[4096] = {0}, note[16 + sizeof(build_id)] = {0};
	const Elf64_Nhdr head = {4, sizeof(build_id), NT_GNU_BUILD_ID};
	Elf64_Sym table[32] = {0};
	GElf_Shdr none = {0};
	GElf_Ehdr eh;
	size_t i, at = 1;
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	Elf *elf;

	cr_assert_geq(fd, 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_WRITE, NULL);
	gelf_newehdr(elf, ELFCLASS64);
	memcpy(note, &head, sizeof(head));
	memcpy(note + 12, "GNU", 4);
	memcpy(note + 16, build_id, sizeof(build_id));
	for (i = 0; i < cnt; i++) {
		table[i + 1] = (Elf64_Sym){(Elf64_Word)at, syms[i].info, 0, 1,
					   syms[i].value,  syms[i].size};
		strcpy(names + at, syms[i].name);
		at += strlen(syms[i].name) + 1;
	}
	add_section(elf, 1, SHT_PROGBITS,
		    (GElf_Shdr){.sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = TEXT_ADDR}, text,
		    sizeof(text), ELF_T_BYTE);
	add_section(elf, 7, SHT_NOTE, none, note, sizeof(note), ELF_T_NHDR);
	add_section(elf, 13, symtab_type,
		    (GElf_Shdr){.sh_link = 4, .sh_entsize = sizeof(Elf64_Sym)}, table,
		    (cnt + 1) * sizeof(Elf64_Sym), ELF_T_SYM);
	add_section(elf, 18, SHT_STRTAB, none, names, at, ELF_T_BYTE);
	add_section(elf, 23, SHT_STRTAB, none, section_names, sizeof(section_names), ELF_T_BYTE);
	gelf_getehdr(elf, &eh);
	eh.e_type = ET_DYN;
	eh.e_machine = EM_X86_64;
	eh.e_shstrndx = 5;
	gelf_update_ehdr(elf, &eh);
	cr_assert_gt(elf_update(elf, ELF_C_WRITE), 0, "%s", elf_errmsg(-1));
	elf_end(elf);
	close(fd);
}

struct answer {
	char names[16][64];
	uint64_t offsets[16];
	enum rep_elf_outcome outcome;
};

static int take(void *ctx, size_t index, const char *name, size_t len, uint64_t offset)
{
	struct answer *a = ctx;

	cr_assert_lt(len, sizeof(a->names[0]));
	memcpy(a->names[index], name, len);
	a->offsets[index] = offset;
	return 0;
}

static struct answer ask(const char *path, const uint8_t *id, const uint64_t *vaddrs, size_t cnt)
{
	struct answer a = {.outcome = REP_ELF_FAILED};
	struct rep_elf_request request = {"/", {path, strlen(path)}, id, sizeof(build_id), vaddrs,
					  cnt};

	cr_assert_eq(rep_elf_names(&request, take, &a, &a.outcome), 0);
	return a;
}

static uint64_t offset_in(const struct wanted *syms, size_t cnt, const char *name, uint64_t vaddr)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		if (strcmp(syms[i].name, name) == 0)
			return vaddr - syms[i].value;
	return 0;
}

static void expect_names(GElf_Word type, const struct wanted *syms, size_t sym_cnt,
			 const uint64_t *vaddrs, const char *const *names, size_t cnt)
{
	char path[] = "/tmp/offwake-elf-XXXXXX";
	int fd = mkstemp(path);
	struct answer a;
	size_t i;

	cr_assert_geq(fd, 0);
	close(fd);
	make_elf(path, type, syms, sym_cnt);
	a = ask(path, build_id, vaddrs, cnt);
	unlink(path);
	cr_assert_eq(a.outcome, REP_ELF_READ);
	for (i = 0; i < cnt; i++)
		cr_expect_eq(a.offsets[i], offset_in(syms, sym_cnt, names[i], vaddrs[i]));
	for (i = 0; i < cnt; i++)
		cr_expect_str_eq(a.names[i], names[i], "%#lx: %s, expected %s",
				 (unsigned long)vaddrs[i], a.names[i], names[i]);
}

#define GLOBAL_FUNC GELF_ST_INFO(STB_GLOBAL, STT_FUNC)
#define LOCAL_FUNC  GELF_ST_INFO(STB_LOCAL, STT_FUNC)
#define WEAK_FUNC   GELF_ST_INFO(STB_WEAK, STT_FUNC)
#define NO_TYPE	    GELF_ST_INFO(STB_LOCAL, STT_NOTYPE)

Test(sym_elf, sizes_bound_symbols)
{
	static const struct wanted syms[] = {{"one", 0x1000, 0x10, GLOBAL_FUNC},
					     {"two", 0x1020, 0x10, LOCAL_FUNC}};
	static const uint64_t at[] = {0xfff, 0x1000, 0x100f, 0x1010, 0x1020, 0x102f, 0x1030};
	static const char *const names[] = {"", "one", "one", "", "two", "two", ""};

	expect_names(SHT_SYMTAB, syms, 2, at, names, OWT_ARRAY_SIZE(at));
	expect_names(SHT_DYNSYM, syms, 2, at, names, OWT_ARRAY_SIZE(at));
}

Test(sym_elf, without_a_size_symtab_reaches_to_the_next_symbol_or_the_end)
{
	static const struct wanted syms[] = {{"bare", 0x1000, 0, NO_TYPE},
					     {"two", 0x1020, 0x10, LOCAL_FUNC},
					     {"tail", 0x1f00, 0, NO_TYPE}};
	static const uint64_t at[] = {0x1000, 0x101f, 0x1020, 0x1030, 0x1fff, 0x2000};
	static const char *const names[] = {"bare", "bare", "two", "", "tail", ""};

	expect_names(SHT_SYMTAB, syms, 3, at, names, OWT_ARRAY_SIZE(at));
}

Test(sym_elf, without_a_size_dynsym_names_its_own_address_only)
{
	static const struct wanted syms[] = {{"bare", 0x1000, 0, GLOBAL_FUNC},
					     {"two", 0x1020, 0x10, GLOBAL_FUNC}};
	static const uint64_t at[] = {0x1000, 0x1001, 0x1020};
	static const char *const names[] = {"bare", "", "two"};

	expect_names(SHT_DYNSYM, syms, 2, at, names, OWT_ARRAY_SIZE(at));
}

Test(sym_elf, the_best_of_several_names_is_taken)
{
	static const struct wanted syms[] = {
		{"unsized", 0x1000, 0, GLOBAL_FUNC}, {"weak", 0x1000, 0x10, WEAK_FUNC},
		{"local", 0x1000, 0x10, LOCAL_FUNC}, {"__global", 0x1000, 0x10, GLOBAL_FUNC},
		{"glob", 0x1000, 0x10, GLOBAL_FUNC}, {"global", 0x1000, 0x10, GLOBAL_FUNC},
	};
	static const uint64_t at[] = {0x1000, 0x100f};
	static const char *const names[] = {"global", "global"};

	expect_names(SHT_SYMTAB, syms, OWT_ARRAY_SIZE(syms), at, names, OWT_ARRAY_SIZE(at));
}

Test(sym_elf, a_symbol_around_another_covers_what_lies_behind_that)
{
	static const struct wanted syms[] = {{"outer", 0x1000, 0x100, GLOBAL_FUNC},
					     {"inner", 0x1020, 0x10, LOCAL_FUNC}};
	static const uint64_t at[] = {0x101f, 0x1020, 0x1030, 0x10ff, 0x1100};
	static const char *const names[] = {"outer", "inner", "outer", "outer", ""};

	expect_names(SHT_SYMTAB, syms, 2, at, names, OWT_ARRAY_SIZE(at));
}

Test(sym_elf, sizes_that_wrap_do_no_harm)
{
	static const struct wanted syms[] = {{"wraps", 0x1000, UINT64_MAX, GLOBAL_FUNC}};
	static const uint64_t at[] = {0xfff, 0x1000, 0x5000};
	static const char *const names[] = {"", "wraps", "wraps"};

	expect_names(SHT_SYMTAB, syms, 1, at, names, OWT_ARRAY_SIZE(at));
}

Test(sym_elf, another_build_gives_no_name)
{
	static const struct wanted syms[] = {{"one", 0x1000, 0x10, GLOBAL_FUNC}};
	static const uint8_t other[8] = {1, 2, 3, 4, 5, 6, 7, 9};
	static const uint64_t at[] = {0x1000};
	char path[] = "/tmp/offwake-elf-XXXXXX";
	struct answer a;
	int fd = mkstemp(path);

	cr_assert_geq(fd, 0);
	close(fd);
	make_elf(path, SHT_SYMTAB, syms, 1);
	a = ask(path, other, at, 1);
	cr_expect_eq(a.outcome, REP_ELF_OTHER_BUILD);
	cr_expect_str_empty(a.names[0]);
	unlink(path);
	a = ask(path, build_id, at, 1);
	cr_expect_eq(a.outcome, REP_ELF_NO_FILE);
}

/* Cut and changed files: any outcome will do, a crash of this process will not. */
Test(sym_elf, damaged_files_cost_names_only, .timeout = 120)
{
	static const struct wanted syms[] = {{"one", 0x1000, 0x10, GLOBAL_FUNC},
					     {"two", 0x1020, 0, NO_TYPE}};
	static const uint64_t at[] = {0x1000, 0x1020, 0x1fff};
	char path[] = "/tmp/offwake-elf-XXXXXX";
	int fd = mkstemp(path), round;
	off_t size;

	cr_assert_geq(fd, 0);
	make_elf(path, SHT_SYMTAB, syms, 2);
	size = lseek(fd, 0, SEEK_END);
	srand(1);
	for (round = 0; round < 300; round++) {
		off_t where = round < 200 ? size - 1 - rand() % 700 : rand() % 64;
		unsigned char byte = (unsigned char)rand(), old;

		cr_assert_eq(pread(fd, &old, 1, where), 1);
		cr_assert_eq(pwrite(fd, &byte, 1, where), 1);
		ask(path, build_id, at, 3);
		cr_assert_eq(pwrite(fd, &old, 1, where), 1);
	}
	for (round = 0; round < 40; round++) {
		cr_assert_eq(ftruncate(fd, rand() % size), 0);
		ask(path, build_id, at, 3);
		make_elf(path, SHT_SYMTAB, syms, 2);
	}
	close(fd);
	unlink(path);
}
