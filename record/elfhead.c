/* SPDX-License-Identifier: Apache-2.0 */
#include <elf.h>
#include <string.h>
#include <unistd.h>
#include "base.h"
#include "elfhead.h"

#define NOTES_BYTES_MAX 4096
#define PHDRS_MAX	256

/* A program header of either class. */
struct segment {
	uint32_t type;
	uint64_t offset, vaddr, filesz, memsz;
};

struct elf_file {
	int fd;
	bool is_64;
	uint64_t phoff;
	unsigned phentsize, phnum;
};

static bool read_at(int fd, void *buf, size_t len, uint64_t offset)
{
	if (offset > INT64_MAX)
		return false;
	return pread(fd, buf, len, (off_t)offset) == (ssize_t)len;
}

static bool read_header(int fd, struct elf_file *out)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr e32;
		Elf64_Ehdr e64;
	} h;
	const unsigned char native =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

	memset(&h, 0, sizeof(h));
	if (!read_at(fd, &h.e32, sizeof(h.e32), 0) || memcmp(h.ident, ELFMAG, SELFMAG) ||
	    h.ident[EI_DATA] != native)
		return false;
	out->fd = fd;
	out->is_64 = h.ident[EI_CLASS] == ELFCLASS64;
	if (out->is_64 && !read_at(fd, &h.e64, sizeof(h.e64), 0))
		return false;
	out->phoff = out->is_64 ? h.e64.e_phoff : h.e32.e_phoff;
	out->phentsize = out->is_64 ? h.e64.e_phentsize : h.e32.e_phentsize;
	out->phnum = out->is_64 ? h.e64.e_phnum : h.e32.e_phnum;
	return out->phnum <= PHDRS_MAX &&
	       out->phentsize >= (out->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
}

static bool read_segment(const struct elf_file *elf, unsigned i, struct segment *out)
{
	uint64_t at;
	Elf32_Phdr p32;
	Elf64_Phdr p64;

	if (__builtin_add_overflow(elf->phoff, (uint64_t)i * elf->phentsize, &at))
		return false;
	if (elf->is_64) {
		if (!read_at(elf->fd, &p64, sizeof(p64), at))
			return false;
		*out = (struct segment){ p64.p_type, p64.p_offset, p64.p_vaddr, p64.p_filesz,
					 p64.p_memsz };
	} else {
		if (!read_at(elf->fd, &p32, sizeof(p32), at))
			return false;
		*out = (struct segment){ p32.p_type, p32.p_offset, p32.p_vaddr, p32.p_filesz,
					 p32.p_memsz };
	}
	return true;
}

static size_t align4(uint32_t n)
{
	return ((size_t)n + 3) & ~(size_t)3;
}

static void find_build_id(const char *notes, size_t len, struct owt_module *module)
{
	size_t at = 0;
	Elf64_Nhdr note; /* both classes have the same three words */

	while (len - at >= sizeof(note)) {
		size_t name_at, desc_at;

		memcpy(&note, notes + at, sizeof(note));
		name_at = at + sizeof(note);
		if (note.n_namesz > len - name_at || align4(note.n_namesz) > len - name_at)
			return;
		desc_at = name_at + align4(note.n_namesz);
		if (note.n_descsz > len - desc_at)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name_at, "GNU", 4) && note.n_descsz &&
		    note.n_descsz <= OWT_BUILD_ID_MAX) {
			module->build_id_len = (uint8_t)note.n_descsz;
			memcpy(module->build_id, notes + desc_at, note.n_descsz);
			return;
		}
		if (align4(note.n_descsz) > len - desc_at)
			return;
		at = desc_at + align4(note.n_descsz);
	}
}

static void read_notes(int fd, const struct segment *seg, struct owt_module *module)
{
	char notes[NOTES_BYTES_MAX];
	size_t len = seg->filesz < sizeof(notes) ? (size_t)seg->filesz : sizeof(notes);

	if (!module->build_id_len && read_at(fd, notes, len, seg->offset))
		find_build_id(notes, len, module);
}

static void add_load(const struct segment *seg, struct owt_module *module)
{
	struct owt_segment *out;

	if (module->segment_cnt == OWT_SEGMENTS_MAX || !seg->filesz)
		return;
	out = &module->segments[module->segment_cnt++];
	out->offset = seg->offset;
	out->vaddr = seg->vaddr;
	out->filesz = seg->filesz;
}

void rec_elf_read(int fd, struct owt_module *module)
{
	struct elf_file elf;
	struct segment seg;

	module->build_id_len = 0;
	module->segment_cnt = 0;
	if (!read_header(fd, &elf))
		return;
	for (unsigned i = 0; i < elf.phnum && read_segment(&elf, i, &seg); i++) {
		if (seg.type == PT_LOAD)
			add_load(&seg, module);
		else if (seg.type == PT_NOTE)
			read_notes(fd, &seg, module);
	}
}
