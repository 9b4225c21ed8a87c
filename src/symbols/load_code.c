/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A DSO's code as it was mapped, opened on first access. The number of open files is limited, so
 * the least recently used file is closed to open another.
 */
#include <elf.h>

#include "symbols/candidates.h"
#include "symbols/code.h"
#include "symbols/embedded/stored.h"
#include "symbols/load_code.h"
#include "symbols/mapped_file.h"
#include "symbols/vdso.h"

/* Return false for separate debug files, which have the section headers of the mapped file, but not
 * the sections' contents. */
static bool has_bytes(const struct tally_elf *elf)
{
	struct tally_elf_section section;

	for (uint32_t i = 0; tally_elf_section(elf, i, &section); i++) {
		if (section.flags & SHF_EXECINSTR && section.type == SHT_NOBITS)
			return false;
	}
	return true;
}

/* Return true if the image has code that can be checked. Decompressed files are rejected, because
 * keeping them in memory to inspect a few instructions is too expensive. */
static bool has_code(const struct tally_dso *dso, const struct tally_image *image)
{
	return (!image->copy || dso->kind == TALLY_DSO_VDSO) &&
	       tally_code_is_known(image->elf.machine) && has_bytes(&image->elf);
}

/* Return true if the file is known to be the recorded one. If the origin of the recording is
 * unknown, a file with the same name may contain different code, and valid return addresses would
 * be rejected. */
static bool is_trusted(const struct tally_dso *dso)
{
	return dso->build_id.size || dso->kind == TALLY_DSO_VDSO || dso->owner->options.symfs ||
	       dso->owner->origin == TALLY_SYMBOLS_HERE;
}

static int code_check(const struct tally_dso *dso, struct tally_image *image)
{
	if (has_code(dso, image) && is_trusted(dso))
		return 0;
	tally_image_free(image);
	return -ENODATA;
}

/* Open the build-id cache's copy of the mapped file. */
static int code_open_cached(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_places places = {0};
	int ret = tally_places_user(dso, NULL, &dso->build_id, &places);

	if (ret)
		return ret;
	ret = -ENOENT;
	tally_vec_for_each (place, &places.list) {
		if (!ret || place->source != TALLY_DSO_SOURCE_BUILDID)
			continue;
		ret = tally_image_open(place->path, &dso->build_id, ret_image);
		if (!ret)
			ret = code_check(dso, ret_image);
	}
	tally_places_free(&places);
	return ret;
}

static int code_open(const struct tally_dso *dso, struct tally_image *ret_image)
{
	struct tally_image image = {0};
	int ret = dso->kind == TALLY_DSO_VDSO ? tally_dso_open_vdso(dso, &image)
					      : tally_dso_open_unchanged(dso, &image);

	if (!ret)
		ret = code_check(dso, &image);
	if (ret && ret != -ENOMEM && dso->build_id.size)
		ret = code_open_cached(dso, &image);
	if (!ret)
		*ret_image = image;
	return ret;
}

void tally_dso_release_code(struct tally_dso *dso)
{
	struct tally_symbols *symbols = dso->owner;

	if (!dso->code.image.elf.data)
		return;
	for (size_t i = 0; i < symbols->codes.nr; i++) {
		if (symbols->codes.open[i] == dso) {
			symbols->codes.open[i] = symbols->codes.open[--symbols->codes.nr];
			break;
		}
	}
	tally_image_free(&dso->code.image);
}

static void codes_evict(struct tally_symbols *symbols)
{
	struct tally_dso *oldest = symbols->codes.open[0];

	if (symbols->codes.nr < TALLY_CODES_MAX)
		return;
	for (size_t i = 1; i < symbols->codes.nr; i++) {
		if (symbols->codes.open[i]->code.look < oldest->code.look)
			oldest = symbols->codes.open[i];
	}
	tally_dso_release_code(oldest);
}

/* Return true if the DSO's code is open, opening it if necessary. */
static bool code_get(struct tally_dso *dso)
{
	struct tally_symbols *symbols = dso->owner;

	if (dso->code.is_missing || (dso->kind != TALLY_DSO_USER && dso->kind != TALLY_DSO_VDSO))
		return false;
	dso->code.look = ++symbols->codes.looks;
	if (dso->code.image.elf.data)
		return true;
	codes_evict(symbols);
	if (code_open(dso, &dso->code.image)) {
		dso->code.is_missing = true;
		return false;
	}
	symbols->codes.open[symbols->codes.nr++] = dso;
	return true;
}

bool tally_dso_is_return_address(struct tally_dso *dso, uint64_t addr)
{
	const struct tally_elf *elf = &dso->code.image.elf;

	if (tally_dso_stored(dso))
		return !tally_dso_is_stored_non_return(dso, addr);
	if (!code_get(dso) || tally_code_is_return_address(elf->machine, elf->data, elf->len, addr))
		return true;
	if (!tally_file_map_check(&dso->code.image.map))
		return false;
	/* The file was truncated, so its code reads as zeros. */
	tally_dso_release_code(dso);
	dso->code.is_missing = true;
	return true;
}
