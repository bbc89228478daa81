/* SPDX-License-Identifier: Apache-2.0 */
#include <criterion/criterion.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "base.h"
#include "elfhead.h"

/* A minimal file: header, two program headers, a note. */
struct image {
	Elf64_Ehdr head;
	Elf64_Phdr load, note;
	Elf64_Nhdr note_head;
	char note_name[4];
	uint8_t build_id[20];
};

static struct image good_image(void)
{
	struct image e = {
		.head =
			{
				.e_phoff = offsetof(struct image, load),
				.e_phentsize = sizeof(Elf64_Phdr),
				.e_phnum = 2,
			},
		.load = {.p_type = PT_LOAD,
			 .p_offset = 0x1000,
			 .p_vaddr = 0x401000,
			 .p_filesz = 0x234},
		.note = {.p_type = PT_NOTE,
			 .p_offset = offsetof(struct image, note_head),
			 .p_filesz = sizeof(struct image) - offsetof(struct image, note_head)},
		.note_head = {4, 20, NT_GNU_BUILD_ID},
		.note_name = "GNU",
	};

	memcpy(e.head.e_ident, ELFMAG, SELFMAG);
	e.head.e_ident[EI_CLASS] = ELFCLASS64;
	e.head.e_ident[EI_DATA] =
		__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
	memset(e.build_id, 0xab, sizeof(e.build_id));
	return e;
}

static struct owt_module read_image(const void *bytes, size_t len)
{
	struct owt_module module = {.build_id_len = 99, .segment_cnt = 99};
	int fd = memfd_create("elf", MFD_CLOEXEC);

	cr_assert_eq(write(fd, bytes, len), (ssize_t)len);
	rec_elf_read(fd, &module);
	close(fd);
	return module;
}

Test(elfhead, reads_build_id_and_segments)
{
	struct image e = good_image();
	struct owt_module m = read_image(&e, sizeof(e));

	cr_expect_eq(m.build_id_len, 20);
	cr_expect_eq(memcmp(m.build_id, e.build_id, 20), 0);
	cr_assert_eq(m.segment_cnt, 1);
	cr_expect_eq(m.segments[0].offset, 0x1000);
	cr_expect_eq(m.segments[0].vaddr, 0x401000);
	cr_expect_eq(m.segments[0].filesz, 0x234);
}

Test(elfhead, every_truncation_is_read_without_harm)
{
	struct image e = good_image();

	for (size_t len = 0; len < sizeof(e); len++) {
		struct owt_module m = read_image(&e, len);

		cr_expect_eq(m.build_id_len, 0, "%zu bytes", len);
	}
}

/* Any byte of the file at its extremes: bounds hold; the sanitizers watch. */
Test(elfhead, every_byte_changed_is_read_without_harm)
{
	static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff};
	struct image good = good_image();

	for (size_t at = 0; at < offsetof(struct image, build_id); at++)
		for (size_t v = 0; v < OWT_ARRAY_SIZE(values); v++) {
			struct image e = good;
			struct owt_module m;

			((uint8_t *)&e)[at] = values[v];
			m = read_image(&e, sizeof(e));
			cr_expect_leq(m.build_id_len, OWT_BUILD_ID_MAX);
			cr_expect_leq(m.segment_cnt, OWT_SEGMENTS_MAX);
		}
}

Test(elfhead, what_is_no_elf_has_nothing)
{
	struct owt_module m =
		read_image("#!/bin/sh\necho a script longer than any header would be\n"
			   "########################",
			   80);

	cr_expect_eq(m.build_id_len, 0);
	cr_expect_eq(m.segment_cnt, 0);
}
