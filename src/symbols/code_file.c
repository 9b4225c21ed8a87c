/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/code_file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/endian.h"
#include "symbols/candidates.h"
#include "symbols/jit/jit_code.h"
#include "symbols/jit/jit_lookup.h"
#include "symbols/lines/debug_info.h"
#include "symbols/load_errors.h"
#include "symbols/mapped_file.h"
#include "symbols/origin.h"
#include "symbols/symbols_load.h"
#include "symbols/vdso.h"

struct tally_code_file {
	struct tally_dso *dso;
	struct tally_image image; /* for JITDUMP, only mapped, not parsed */
	uint64_t bias;            /* KERNEL, MODULE: linked address minus DSO address */
	uint64_t text, text_end;  /* MODULE: file offsets of the code */
	uint16_t machine;
	bool is64, is_big_endian;
};

/* ---- opening ---------------------------------------------------------------------- */

/* Return true if the file contains code. Debug files have the headers of code sections, but not the
 * code. */
static bool has_code(const struct tally_elf *elf)
{
	struct tally_elf_section section;
	struct tally_elf_segment segment;

	for (uint32_t i = 0; tally_elf_section(elf, i, &section); i++) {
		if (section.flags & SHF_EXECINSTR)
			return section.type != SHT_NOBITS;
	}
	for (uint32_t i = 0; tally_elf_segment(elf, i, &segment); i++) {
		if (segment.type == PT_LOAD && segment.flags & PF_X && segment.filesz)
			return true;
	}
	return false;
}

/* Take ownership of an image that has code; free an image without code. */
static int file_adopt(struct tally_code_file *file, struct tally_image *image)
{
	if (!has_code(&image->elf)) {
		tally_image_free(image);
		return -ENODATA;
	}
	file->image = *image;
	file->machine = image->elf.machine;
	file->is64 = image->elf.is64;
	file->is_big_endian = image->elf.data[EI_DATA] == ELFDATA2MSB;
	return 0;
}

/* Open the build-id cache's copy of the mapped file. Returns `failure` if it is not found. */
static int open_cached(struct tally_code_file *file, int failure)
{
	struct tally_places places = {0};
	struct tally_image image;
	int ret = tally_places_user(file->dso, NULL, &file->dso->build_id, &places);

	if (ret)
		return ret;
	ret = failure;
	tally_vec_for_each (place, &places.list) {
		if (ret && place->source == TALLY_DSO_SOURCE_BUILDID &&
		    !tally_image_open(place->path, &file->dso->build_id, &image))
			ret = file_adopt(file, &image);
	}
	tally_places_free(&places);
	return ret;
}

static int open_user(struct tally_code_file *file)
{
	struct tally_image image;
	int ret = file->dso->kind == TALLY_DSO_VDSO ? tally_dso_open_vdso(file->dso, &image)
						    : tally_dso_open_unchanged(file->dso, &image);

	if (!ret)
		ret = file_adopt(file, &image);
	if (ret && ret != -ENOMEM && file->dso->build_id.size)
		ret = open_cached(file, ret);
	return ret;
}

static int try_kernel(struct tally_code_file *file, const char *path)
{
	struct tally_build_id want;
	struct tally_image image;
	int ret = tally_kernel_expected_id(file->dso, &want);

	if (!ret)
		ret = tally_image_open(path, &want, &image);
	if (!ret)
		ret = file_adopt(file, &image);
	if (!ret)
		ret = tally_kernel_image_bias(file->dso, &file->image.elf, &file->bias);
	if (ret)
		tally_image_free(&file->image);
	return ret;
}

static int open_kernel(struct tally_code_file *file)
{
	const struct tally_symbols_options *options = &file->dso->owner->options;
	struct tally_places places;
	int ret;

	if (options->vmlinux)
		return try_kernel(file, options->vmlinux);
	ret = tally_places_kernel(file->dso, &places);
	if (ret)
		return ret;
	ret = TALLY_CODE_ERROR_NO_KERNEL;
	tally_vec_for_each (place, &places.list) {
		if (ret && ret != -ENOMEM && place->source == TALLY_DSO_SOURCE_VMLINUX)
			ret = try_kernel(file, place->path);
	}
	tally_places_free(&places);
	return ret && ret != -ENOMEM ? TALLY_CODE_ERROR_NO_KERNEL : ret;
}

/* Open a module's file. All of a module's code is in one section, which is loaded as a whole. */
static int open_module(struct tally_code_file *file)
{
	struct tally_elf_section section;
	struct tally_image image;
	int ret = tally_dso_open_module(file->dso, &image);

	if (!ret)
		ret = file_adopt(file, &image);
	if (ret)
		return ret;
	if (!tally_elf_section_by_name(&file->image.elf, ".text", &section) ||
	    section.type == SHT_NOBITS ||
	    !tally_range_ok(section.offset, section.size, file->image.elf.len))
		return -ENODATA;
	file->text = section.offset;
	file->text_end = section.offset + section.size;
	file->bias = -file->dso->address;
	return 0;
}

static int open_jitdump(struct tally_code_file *file)
{
	int fd, ret = tally_dso_jit_open(file->dso, &fd, &file->machine);
	off_t len;

	if (ret)
		return ret;
	len = lseek(fd, 0, SEEK_END);
	ret = len > 0 ? tally_file_map_fd(fd, (size_t)len, &file->image.map) : -ENODATA;
	close(fd);
	file->image.elf.data = file->image.map.data;
	file->image.elf.len = file->image.map.len;
	/* Assume that the dump was written on this machine, so it has the host's byte order. */
	file->is64 = true;
	file->is_big_endian = TALLY_HOST_BIG_ENDIAN;
	return ret;
}

int tally_code_file_open(struct tally_dso *dso, struct tally_code_file **ret_file)
{
	static int (*const openers[])(struct tally_code_file * file) = {
		[TALLY_DSO_USER] = open_user,       [TALLY_DSO_VDSO] = open_user,
		[TALLY_DSO_KERNEL] = open_kernel,   [TALLY_DSO_MODULE] = open_module,
		[TALLY_DSO_JITDUMP] = open_jitdump,
	};
	struct tally_code_file *file;
	int ret;

	if (dso->kind >= TALLY_ARRAY_SIZE(openers) || !openers[dso->kind])
		return -ENODATA;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->dso = dso;
	ret = openers[dso->kind](file);
	if (ret)
		tally_code_file_close(file);
	else
		*ret_file = file;
	return ret;
}

void tally_code_file_close(struct tally_code_file *file)
{
	if (file)
		tally_image_free(&file->image);
	free(file);
}

enum tally_dso_state tally_code_file_state(int error)
{
	return tally_dso_state_of_error(error);
}

const char *tally_code_file_path(const struct tally_code_file *file)
{
	return file->image.path ? file->image.path : file->dso->files.path;
}

/* ---- reading ---------------------------------------------------------------------- */

/* A range of file offsets, and the linked address of its first byte. */
struct code_span {
	uint64_t offset, end, linked;
};

static bool span_of_segment(const struct tally_elf_segment *segment, uint64_t inside,
			    struct code_span *ret_span)
{
	if (segment->type != PT_LOAD || inside >= segment->filesz)
		return false;
	*ret_span = (struct code_span){
		.offset = segment->offset + inside,
		.end = segment->offset + segment->filesz,
		.linked = segment->vaddr + inside,
	};
	return true;
}

/* Find the segment that contains `addr`, which is a file offset (`by_offset`) or a linked
 * address. */
static bool find_in_segments(const struct tally_code_file *file, uint64_t addr, bool by_offset,
			     struct code_span *ret_span)
{
	struct tally_elf_segment segment;

	for (uint32_t i = 0; tally_elf_segment(&file->image.elf, i, &segment); i++) {
		uint64_t start = by_offset ? segment.offset : segment.vaddr;

		if (addr >= start && span_of_segment(&segment, addr - start, ret_span))
			return true;
	}
	return false;
}

static bool find_span(const struct tally_code_file *file, uint64_t addr, struct code_span *ret_span)
{
	uint64_t inside = addr + file->bias;

	switch (file->dso->kind) {
	case TALLY_DSO_JITDUMP:
		*ret_span = (struct code_span){addr, file->image.elf.len,
					       addr + tally_dso_jit_bias(file->dso, addr)};
		return true;
	case TALLY_DSO_MODULE:
		*ret_span = (struct code_span){file->text + inside, file->text_end, inside};
		return inside < file->text_end - file->text;
	case TALLY_DSO_KERNEL: return find_in_segments(file, inside, false, ret_span);
	default: return find_in_segments(file, addr, true, ret_span);
	}
}

int tally_code_file_read(const struct tally_code_file *file, uint64_t start, uint64_t end,
			 struct tally_code *ret_code)
{
	const struct tally_elf *elf = &file->image.elf;
	struct code_span span;
	uint64_t len;

	if (end <= start)
		return -EINVAL;
	if (!find_span(file, start, &span))
		return -ERANGE;
	span.end = TALLY_MIN(span.end, elf->len);
	if (span.offset >= span.end)
		return -ERANGE;
	if (file->image.map.data && tally_file_map_check(&file->image.map))
		return -EIO;
	len = TALLY_MIN(end - start, span.end - span.offset);
	*ret_code = (struct tally_code){
		.bytes = elf->data + span.offset,
		.len = (size_t)len,
		.linked = span.linked,
		.machine = file->machine,
		.is64 = file->is64,
		.is_big_endian = file->is_big_endian,
		.is_cut = len < end - start,
		.is_relocatable = file->dso->kind == TALLY_DSO_MODULE,
	};
	return 0;
}

bool tally_code_file_linked(const struct tally_code_file *file, uint64_t addr, uint64_t *ret_linked,
			    uint64_t *ret_len)
{
	struct code_span span;

	if (!find_span(file, addr, &span) || span.end <= span.offset)
		return false;
	*ret_linked = span.linked;
	*ret_len = span.end - span.offset;
	return true;
}

uint64_t tally_code_file_base(const struct tally_code_file *file)
{
	struct tally_elf_segment segment;

	for (uint32_t i = 0; tally_elf_segment(&file->image.elf, i, &segment); i++) {
		if (segment.type == PT_LOAD)
			return segment.vaddr;
	}
	return 0;
}

bool tally_code_file_address(const struct tally_code_file *file, uint64_t linked,
			     uint64_t *ret_addr)
{
	switch (file->dso->kind) {
	case TALLY_DSO_JITDUMP:
		return tally_dso_jit_offset(file->dso, linked, TALLY_TIME_UNKNOWN, ret_addr);
	case TALLY_DSO_MODULE:
	case TALLY_DSO_KERNEL: *ret_addr = linked - file->bias; return true;
	default: return tally_elf_vaddr_to_offset(&file->image.elf, linked, ret_addr);
	}
}

uint64_t tally_symbol_size(struct tally_dso *dso, const struct tally_symbol *symbol)
{
	const struct tally_unwind_table *functions;
	uint64_t end = symbol->end;

	if (end <= symbol->start && (functions = tally_dso_functions(dso)))
		end = tally_unwind_table_function_end(functions, symbol->start);
	return end > symbol->start ? end - symbol->start : 0;
}
