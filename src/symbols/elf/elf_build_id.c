/* SPDX-License-Identifier: BSD-2-Clause */
/* Build-ids of images, files, the running kernel and its modules. */
#include "symbols/elf/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/endian.h"
#include "base/file.h"

/* Limit on the size of a kernel's or module's notes, which are usually a few hundred bytes long. */
enum { NOTES_MAX = 1 << 20 };

/* Limit on the number of note bytes scanned in one image. Sections and segments may declare the
 * same bytes, or a hole in the file, as notes any number of times. */
enum { IMAGE_NOTES_MAX = 16 << 20 };

/* Find the build-id in notes. They are padded to 4 bytes, or to 8 if the segment has that
 * alignment. */
static int notes_find(const uint8_t *notes, size_t len, size_t align, bool swap,
		      uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	uint64_t at = 0, desc, next;

	for (; tally_range_ok(at, sizeof(Elf32_Nhdr), len); at = next) {
		uint32_t namesz = tally_load_u32(notes + at, swap);
		uint32_t descsz = tally_load_u32(notes + at + 4, swap);
		uint32_t type = tally_load_u32(notes + at + 8, swap);

		desc = at + tally_round_up(sizeof(Elf32_Nhdr) + (uint64_t)namesz, align);
		next = desc + tally_round_up(descsz, align);
		if (!tally_range_ok(desc, descsz, len))
			break;
		if (type != NT_GNU_BUILD_ID || namesz != sizeof(ELF_NOTE_GNU) || !descsz ||
		    memcmp(notes + at + sizeof(Elf32_Nhdr), ELF_NOTE_GNU, namesz))
			continue;
		*ret_size = TALLY_MIN(descsz, TALLY_BUILD_ID_MAX);
		memset(ret_id, 0, TALLY_BUILD_ID_MAX);
		memcpy(ret_id, notes + desc, *ret_size);
		return 0;
	}
	return -ENOENT;
}

int tally_notes_build_id(const void *notes, size_t len, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			 size_t *ret_size)
{
	return notes_find(notes, len, 4, false, ret_id, ret_size);
}

/* Do the same as notes_find() for the notes in an image. Scans at most `*left` bytes, and subtracts
 * the number of bytes scanned from `*left`. */
static int image_notes_find(const uint8_t *notes, size_t len, size_t align, size_t *left, bool swap,
			    uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	len = TALLY_MIN(len, *left);
	*left -= len;
	return notes_find(notes, len, align, swap, ret_id, ret_size);
}

static int image_segment_id(const struct tally_elf *elf, size_t *left,
			    uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	struct tally_elf_segment segment;
	int ret = -ENOENT;

	for (uint32_t i = 0; ret && tally_elf_segment(elf, i, &segment); i++) {
		if (segment.type == PT_NOTE &&
		    tally_range_ok(segment.offset, segment.filesz, elf->len))
			ret = image_notes_find(elf->data + segment.offset, segment.filesz,
					       segment.align == 8 ? 8 : 4, left, elf->swap, ret_id,
					       ret_size);
	}
	return ret;
}

static int image_section_id(const struct tally_elf *elf, size_t *left,
			    uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	struct tally_elf_section section;
	const uint8_t *notes;
	size_t len;
	int ret = -ENOENT;

	for (uint32_t i = 1; ret && tally_elf_section(elf, i, &section); i++) {
		notes = section.type == SHT_NOTE ? tally_elf_section_data(elf, &section, &len)
						 : NULL;
		if (notes)
			ret = image_notes_find(notes, len, 4, left, elf->swap, ret_id, ret_size);
	}
	return ret;
}

int tally_elf_image_build_id(const uint8_t *data, size_t len, uint8_t ret_id[TALLY_BUILD_ID_MAX],
			     size_t *ret_size)
{
	size_t left = IMAGE_NOTES_MAX;
	struct tally_elf elf;
	int ret = tally_elf_open(data, len, &elf, NULL);

	if (ret)
		return ret;
	ret = image_section_id(&elf, &left, ret_id, ret_size);
	return ret ? image_segment_id(&elf, &left, ret_id, ret_size) : 0;
}

int tally_elf_build_id(const char *path, uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	uint8_t id[TALLY_BUILD_ID_MAX];
	struct tally_file_map map;
	size_t size = 0;
	int ret = tally_file_map(path, &map);

	if (ret)
		return ret;
	/* Map the file, so that only the pages with headers and notes are read. */
	ret = tally_elf_image_build_id(map.data, map.len, id, &size);
	if (tally_file_map_check(&map))
		ret = -EIO;
	tally_file_unmap(&map);
	if (ret)
		return ret;
	memcpy(ret_id, id, sizeof(id));
	*ret_size = size;
	return 0;
}

static int notes_file_id(const char *path, uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	char *notes;
	size_t len;
	int ret = tally_file_read(path, NOTES_MAX, &notes, &len);

	if (ret)
		return ret;
	ret = tally_notes_build_id(notes, len, ret_id, ret_size);
	free(notes);
	return ret;
}

int tally_kernel_build_id(uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	return notes_file_id("/sys/kernel/notes", ret_id, ret_size);
}

int tally_module_build_id(const char *module, uint8_t ret_id[TALLY_BUILD_ID_MAX], size_t *ret_size)
{
	char path[256];
	int len = snprintf(path, sizeof(path), "/sys/module/%s/notes/.note.gnu.build-id", module);

	if (len < 0 || (size_t)len >= sizeof(path) || strchr(module, '/'))
		return -ENOENT;
	return notes_file_id(path, ret_id, ret_size);
}
