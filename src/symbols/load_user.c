/* SPDX-License-Identifier: BSD-2-Clause */
/* Load the symbols of a user-space object from its own file, its separate debug file, or the cached
 * copy. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "symbols/cache/index_sources.h"
#include "symbols/candidates.h"
#include "symbols/dso.h"
#include "symbols/dso_files.h"
#include "symbols/elf/elf_limits.h"
#include "symbols/elf/elf_plt.h"
#include "symbols/elf/unpack.h"
#include "symbols/load_errors.h"
#include "symbols/mapped_file.h"
#include "symbols/symbols_load.h"
#include "symbols/vdso.h"

static bool has_dynsym(const struct tally_elf *elf)
{
	struct tally_elf_section section;
	uint32_t index;

	return tally_elf_section_by_type(elf, SHT_DYNSYM, &section, &index);
}

/* Keep an image if it has symbols, or if it can be used as the mapped file; otherwise free it. */
static void dso_keep_image(struct tally_dso *dso, struct tally_image *image,
			   enum tally_dso_source source)
{
	if (!dso->files.image.elf.data && tally_elf_has_symtab(&image->elf)) {
		dso->files.image = *image;
		dso->files.source = source;
	} else if (!dso->files.runtime.elf.data && has_dynsym(&image->elf)) {
		dso->files.runtime = *image;
		if (dso->files.source == TALLY_DSO_SOURCE_NONE &&
		    source == TALLY_DSO_SOURCE_BUILDID)
			dso->files.source = source;
	} else {
		tally_image_free(image);
	}
	*image = (struct tally_image){0};
}

/* Return true if both images have been found: one with symbols, and one with the mapped file's
 * dynamic symbols. */
static bool dso_complete(const struct tally_dso *dso)
{
	return dso->files.image.elf.data &&
	       (dso->files.runtime.elf.data || has_dynsym(&dso->files.image.elf));
}

static int dso_search(struct tally_dso *dso, const struct tally_image *own,
		      const struct tally_build_id *id, int failure)
{
	struct tally_places places = {0};
	struct tally_image image = {0};
	int32_t number;
	uint32_t crc = 0;
	const char *link = own ? tally_places_debuglink(&own->elf, &crc) : NULL;
	int ret = tally_places_user(dso, link, id, &places);

	if (ret)
		return ret;
	tally_sources_set_object(dso->cached.sources, id, link);
	tally_sources_set_count(dso->cached.sources, places.list.len + 1, own);
	tally_vec_for_each (place, &places.list) {
		if (dso_complete(dso))
			break;
		number = tally_sources_add(dso->cached.sources, place->path);
		ret = tally_place_open(place, id, crc, &image);
		if (ret) {
			failure = tally_worse_error(failure, ret);
			continue;
		}
		image.place = number;
		dso_keep_image(dso, &image, place->source);
	}
	tally_places_free(&places);
	return failure;
}

/* Add the symbols in .gnu_debugdata, a compressed symbol table of local functions in an otherwise
 * stripped file. */
static int add_debugdata(struct tally_dso *dso, const struct tally_elf *elf)
{
	struct tally_elf_load load = {.runtime = elf};
	struct tally_elf_section section;
	const uint8_t *packed;
	uint8_t *data;
	size_t len;

	if (!tally_elf_section_by_name(elf, ".gnu_debugdata", &section))
		return 0;
	packed = tally_elf_section_data(elf, &section, &len);
	if (!packed || tally_unpack(packed, len, &data, &len) ||
	    tally_image_adopt(data, len, NULL, &dso->files.debugdata))
		return 0; /* use the dynamic symbols alone */
	dso->files.source = TALLY_DSO_SOURCE_DEBUGDATA;
	return tally_elf_add_symbols(&dso->files.debugdata.elf, &load, &dso->files.table);
}

static enum tally_dso_source own_source(const struct tally_dso *dso)
{
	return dso->files.image.elf.data ? TALLY_DSO_SOURCE_SYMTAB : TALLY_DSO_SOURCE_DYNSYM;
}

static int add_stubs(struct tally_dso *dso, const struct tally_elf *mapped)
{
	int ret = tally_elf_add_plt(mapped, &dso->files.table);

	if (!ret)
		ret = tally_elf_add_stubs(mapped, &dso->files.stubs);
	return ret ? ret : tally_symtab_finish(&dso->files.stubs, NULL);
}

/* Return true if the image is only a debug file, in which segments have no contents. */
static bool is_without_code(const struct tally_elf *elf)
{
	struct tally_elf_segment segment;
	bool ret = false;

	for (uint32_t i = 0; tally_elf_segment(elf, i, &segment); i++) {
		if (segment.type != PT_LOAD || !(segment.flags & PF_X) || !segment.memsz)
			continue;
		if (segment.filesz)
			return false;
		ret = true;
	}
	return ret;
}

/* Add an image's symbols. `mapped` is NULL if the image itself is the mapped file. */
static int add_symbols(struct tally_dso *dso, const struct tally_elf *elf,
		       const struct tally_elf *mapped)
{
	struct tally_elf_load load = {.runtime = mapped};
	int ret = tally_elf_add_symbols(elf, &load, &dso->files.table);

	if (!ret)
		ret = tally_elf_limit_symbols(mapped ? mapped : elf, mapped ? elf : NULL,
					      &dso->files.table);
	return ret ? ret : add_stubs(dso, mapped ? mapped : elf);
}

/* Read the symbols from the images that were kept. */
static int dso_read(struct tally_dso *dso)
{
	struct tally_image *with =
		dso->files.image.elf.data ? &dso->files.image : &dso->files.runtime;
	const struct tally_elf *mapped = NULL;
	int ret = 0;

	if (dso->files.runtime.elf.data && with != &dso->files.runtime)
		mapped = &dso->files.runtime.elf;
	else if (is_without_code(&with->elf))
		return TALLY_DSO_ERROR_DEBUG_ONLY;
	if (dso->files.source == TALLY_DSO_SOURCE_NONE)
		dso->files.source = own_source(dso);
	if (!dso->files.image.elf.data)
		ret = add_debugdata(dso, &with->elf);
	if (!ret)
		ret = add_symbols(dso, &with->elf, mapped);
	if (!ret)
		ret = tally_dso_finish(dso);
	if (!ret && !dso->files.table.len && !dso->files.stubs.len)
		ret = -ENODATA;
	tally_sources_set_used(dso->cached.sources, with->place);
	return ret ? ret : tally_dso_set_source(dso, dso->files.source, with->path);
}

int tally_dso_load_user(struct tally_dso *dso)
{
	struct tally_image own = {0};
	struct tally_build_id id;
	int failure = tally_dso_open_own(dso, &own), ret;

	id = dso->build_id.size ? dso->build_id : own.build_id;
	ret = dso_search(dso, failure ? NULL : &own, &id, failure);
	if (ret == -ENOMEM) {
		tally_image_free(&own);
		return ret;
	}
	if (!failure) {
		dso_keep_image(dso, &own, TALLY_DSO_SOURCE_NONE);
		if (!dso->files.image.elf.data && !dso->files.runtime.elf.data)
			return -ENODATA;
	}
	return dso->files.image.elf.data || dso->files.runtime.elf.data ? dso_read(dso) : ret;
}

int tally_dso_load_vdso(struct tally_dso *dso)
{
	struct tally_image image = {0};
	int ret = tally_dso_open_vdso(dso, &image);

	if (!ret) {
		dso_keep_image(dso, &image, TALLY_DSO_SOURCE_MEMORY);
		dso->files.source = TALLY_DSO_SOURCE_MEMORY;
	} else if (ret != -ENOMEM) {
		ret = dso_search(dso, NULL, &dso->build_id, ret);
	}
	return dso->files.image.elf.data || dso->files.runtime.elf.data ? dso_read(dso) : ret;
}
