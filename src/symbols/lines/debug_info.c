/* SPDX-License-Identifier: BSD-2-Clause */
#include "symbols/lines/debug_info.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "symbols/candidates.h"
#include "symbols/dso_path.h"
#include "symbols/elf/elf_bytes.h"
#include "symbols/load_errors.h"
#include "symbols/mapped_file.h"
#include "symbols/origin.h"
#include "symbols/vdso.h"

static bool has_info(const struct tally_image *image)
{
	return image->elf.data && tally_elf_has_bytes(&image->elf, ".debug_info") &&
	       tally_elf_has_bytes(&image->elf, ".debug_line");
}

/* ---- address conversion ------------------------------------------------------- */

static void add_place(struct tally_debug_info *info, uint64_t start, uint64_t size, uint64_t bias)
{
	uint64_t end;

	if (info->nr_places < TALLY_ARRAY_SIZE(info->places) &&
	    !__builtin_add_overflow(start, size, &end))
		info->places[info->nr_places++] = (struct tally_debug_place){start, end, bias};
}

/* Add the segments used to convert addresses. A user-space DSO's addresses are offsets in the
 * mapped file, so they must be converted with that file's segments: a debug file's segments are
 * empty and have other offsets. */
static void add_segments(struct tally_debug_info *info, const struct tally_elf *elf)
{
	struct tally_elf_segment segment;

	for (uint32_t i = 0; tally_elf_segment(elf, i, &segment); i++) {
		if (segment.type == PT_LOAD && segment.flags & PF_X && segment.filesz)
			add_place(info, segment.offset, TALLY_MAX(segment.filesz, segment.memsz),
				  segment.vaddr - segment.offset);
	}
}

bool tally_debug_info_bias(const struct tally_debug_info *info, uint64_t addr, uint64_t *ret_bias)
{
	for (size_t i = 0; i < info->nr_places; i++) {
		const struct tally_debug_place *place = &info->places[i];

		if (place->start <= addr && addr < place->end) {
			*ret_bias = place->bias;
			return true;
		}
	}
	return false;
}

/* ---- the file that dwz created ----------------------------------------------- */

/* Build the path for a file name in `image`, relative to the image's directory. */
static int alt_path(const struct tally_image *image, const char *name, struct tally_str *path)
{
	const char *slash = image->path ? strrchr(image->path, '/') : NULL;

	if (*name != '/' && slash)
		tally_str_add_bytes(path, image->path, (size_t)(slash - image->path) + 1);
	tally_str_add(path, name);
	return tally_str_error(path);
}

static bool alt_open(struct tally_debug_info *info, struct tally_str *path,
		     const struct tally_build_id *id)
{
	bool is_there =
		!tally_str_error(path) && !tally_image_open(tally_str_text(path), id, &info->alt);

	tally_str_clear(path);
	return is_there;
}

/* Find the file to which dwz moved shared parts. Try the name in .gnu_debugaltlink, then the
 * build-id that follows the name; in both cases the file must have that build-id. Inlined functions
 * with names that are only in this file are unnamed if the file is not found. */
static void find_alt(const struct tally_dso *dso, struct tally_debug_info *info)
{
	const char *const *dirs = dso->owner->options.debug_dirs;
	struct tally_build_id id = {0};
	struct tally_elf_bytes link;
	struct tally_str path = {0};
	size_t name_len;

	if (tally_elf_bytes_get(&info->image.elf, ".gnu_debugaltlink", 1 << 16, &link))
		return;
	name_len = strnlen((const char *)link.data, link.len);
	if (link.len - name_len >= 3 && link.len - name_len - 1 <= TALLY_BUILD_ID_MAX) {
		id.size = link.len - name_len - 1;
		memcpy(id.id, link.data + name_len + 1, id.size);
		(void)alt_path(&info->image, (const char *)link.data, &path);
		for (bool found = alt_open(info, &path, &id); !found && *dirs; dirs++) {
			tally_dso_add_path(dso, &path, "");
			(void)tally_build_id_add_path(&id, *dirs, &path);
			tally_str_add(&path, ".debug");
			found = alt_open(info, &path, &id);
		}
	}
	tally_str_free(&path);
	tally_elf_bytes_free(&link);
}

/* ---- user-space objects ------------------------------------------------------- */

/* Use the first candidate that is a debug file with debug information. */
static int user_search(struct tally_dso *dso, const struct tally_image *own,
		       struct tally_debug_info *info)
{
	struct tally_places places = {0};
	struct tally_build_id id;
	uint32_t crc;
	int ret = tally_places_other(dso, own, &id, &crc, &places);

	if (ret)
		return ret;
	ret = -ENODATA;
	tally_vec_for_each (place, &places.list) {
		if (!ret || tally_place_open(place, &id, crc, &info->image))
			continue;
		if (has_info(&info->image))
			ret = 0;
		else
			tally_image_free(&info->image);
	}
	tally_places_free(&places);
	return ret;
}

/* Return true for errors that do not depend on the file. */
static bool is_resource_error(int error)
{
	return error == -EMFILE || error == -ENFILE || error == -ENOMEM;
}

static int find_user(struct tally_dso *dso, struct tally_debug_info *info)
{
	struct tally_image own = {0};
	int ret = dso->kind == TALLY_DSO_VDSO ? tally_dso_open_vdso(dso, &own)
					      : tally_dso_open_unchanged(dso, &own);
	int failure = ret;

	if (!ret && has_info(&own)) {
		info->image = own;
		add_segments(info, &own.elf);
		return 0;
	}
	ret = user_search(dso, &own, info);
	if (!ret)
		add_segments(info, own.elf.data ? &own.elf : &info->image.elf);
	tally_image_free(&own);
	if (!ret && !info->nr_places)
		ret = TALLY_DSO_ERROR_DEBUG_ONLY;
	return ret == -ENODATA && is_resource_error(failure) ? failure : ret;
}

/* ---- the kernel --------------------------------------------------------------- */

int tally_kernel_image_bias(const struct tally_dso *dso, const struct tally_elf *elf,
			    uint64_t *ret_bias)
{
	struct tally_elf_load load = {.kernel = true};
	struct tally_symtab table = {0};
	int ret;

	*ret_bias = 0;
	if (!dso->has_address || !dso->reference)
		return 0;
	ret = tally_elf_add_symbols(elf, &load, &table);
	if (!ret)
		ret = -ENOTSUP;
	tally_vec_for_each (entry, &table.entries) {
		if (ret == -ENOTSUP && !strcmp(entry->name, dso->reference)) {
			*ret_bias = entry->start - dso->address;
			ret = 0;
		}
	}
	tally_symtab_free(&table);
	return ret;
}

/* Open the kernel image at `path` if it is the recorded kernel's and has debug information. */
static int try_kernel(struct tally_dso *dso, const char *path, struct tally_debug_info *info)
{
	struct tally_build_id want;
	uint64_t bias;
	int ret = tally_kernel_expected_id(dso, &want);

	if (!ret)
		ret = tally_image_open(path, &want, &info->image);
	if (ret)
		return ret;
	ret = has_info(&info->image) ? tally_kernel_image_bias(dso, &info->image.elf, &bias)
				     : -ENODATA;
	if (ret)
		tally_image_free(&info->image);
	else
		add_place(info, 0, UINT64_MAX, bias);
	return ret;
}

static int find_kernel(struct tally_dso *dso, struct tally_debug_info *info)
{
	const struct tally_symbols_options *options = &dso->owner->options;
	struct tally_places places;
	int ret;

	if (options->vmlinux)
		return try_kernel(dso, options->vmlinux, info);
	ret = tally_places_kernel(dso, &places);
	if (ret)
		return ret;
	ret = -ENODATA;
	tally_vec_for_each (place, &places.list) {
		if (ret && ret != -ENOMEM && place->source == TALLY_DSO_SOURCE_VMLINUX)
			ret = try_kernel(dso, place->path, info);
	}
	tally_places_free(&places);
	return ret == -ENOMEM || !ret ? ret : -ENODATA;
}

int tally_debug_info_find(struct tally_dso *dso, struct tally_debug_info *ret_info)
{
	struct tally_debug_info info = {0};
	int ret;

	switch (dso->kind) {
	case TALLY_DSO_USER:
	case TALLY_DSO_VDSO: ret = find_user(dso, &info); break;
	case TALLY_DSO_KERNEL: ret = find_kernel(dso, &info); break;
	default: ret = -ENODATA; break;
	}
	if (!ret && !info.nr_places)
		ret = -ENOTSUP;
	if (!ret)
		find_alt(dso, &info);
	if (ret)
		tally_debug_info_free(&info);
	else
		*ret_info = info;
	return ret;
}

void tally_debug_info_free(struct tally_debug_info *info)
{
	tally_image_free(&info->image);
	tally_image_free(&info->alt);
	*info = (struct tally_debug_info){0};
}

/* ---- reading ------------------------------------------------------------------- */

/* Return true if a section is needed. Without line tables, finding inlined functions takes half the
 * time. */
static bool section_is_used(enum tally_dwarf_section section, enum tally_debug_use use)
{
	if (section == TALLY_DWARF_LINE)
		return use != TALLY_DEBUG_INLINED;
	return section < TALLY_DWARF_LOC || use == TALLY_DEBUG_VARIABLES;
}

static int gather(const struct tally_elf *elf, enum tally_debug_use use, uint64_t *most,
		  struct tally_dwarf_file *file)
{
	*file = (struct tally_dwarf_file){.is64 = elf->is64,
					  .is_big = elf->data[EI_DATA] == ELFDATA2MSB,
					  .machine = elf->machine};
	for (int i = 0; i < TALLY_DWARF_SECTIONS; i++) {
		const char *name = tally_dwarf_section_name((enum tally_dwarf_section)i);
		struct tally_elf_bytes bytes;
		int ret = section_is_used((enum tally_dwarf_section)i, use)
				  ? tally_elf_bytes_get(elf, name, *most, &bytes)
				  : -ENOENT;

		if (ret == -ENOENT)
			continue;
		if (ret)
			return ret;
		*most -= bytes.unpacked ? bytes.len : 0;
		file->sections[i].data = bytes.data;
		file->sections[i].len = bytes.len;
	}
	return 0;
}

int tally_debug_info_gather(const struct tally_debug_info *info, enum tally_debug_use use,
			    uint64_t most, struct tally_dwarf_file *file,
			    struct tally_dwarf_file *alt)
{
	int ret = gather(&info->image.elf, use, &most, file);

	/* Without the file that dwz created, some inlined functions have no names. */
	if (!ret && info->alt.elf.data && gather(&info->alt.elf, use, &most, alt))
		*alt = (struct tally_dwarf_file){0};
	return ret;
}
