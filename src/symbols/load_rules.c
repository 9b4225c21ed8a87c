/* SPDX-License-Identifier: BSD-2-Clause */
/* Unwind rules of an object: of the file that was mapped, and of its debug file. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "symbols/dso.h"
#include "symbols/elf_frames.h"
#include "symbols/index_rules.h"
#include "symbols/load.h"
#include "symbols/load_rules.h"
#include "symbols/own_file.h"
#include "symbols/places.h"
#include "symbols/prologue.h"

static bool has_section(const struct tally_elf *elf, const char *name)
{
	struct tally_elf_section section;

	return tally_elf_section_by_name(elf, name, &section) && section.type != SHT_NOBITS;
}

static bool has_debug_frame(const struct tally_elf *elf)
{
	return has_section(elf, ".debug_frame") || has_section(elf, ".zdebug_frame");
}

/* Whether .eh_frame is of the code: that of files which were built without has only what the
 * compiler's own first and last functions brought. Of 1,900 files of Debian it is a seventh of
 * .text; less than a fiftieth have three of assembler and Haskell.
 */
static bool has_rules(const struct tally_elf *elf)
{
	struct tally_elf_section frames, text;

	return tally_elf_section_by_name(elf, ".eh_frame", &frames) && frames.type != SHT_NOBITS &&
	       (!tally_elf_section_by_name(elf, ".text", &text) || frames.size >= text.size / 50);
}

/* A debug file has the sections of the mapped one, too, but not their bytes. */
static bool is_mapped_file(const struct tally_elf *elf)
{
	return has_section(elf, ".eh_frame") || has_section(elf, ".text") || !elf->shnum;
}

/* Look through the places of the object for what is missing: the mapped file, the debug file. */
static int rules_search(struct tally_dso *dso, struct tally_image *own, struct tally_image *debug)
{
	struct tally_build_id id = dso->build_id.size ? dso->build_id : own->build_id;
	struct tally_places places = {0};
	struct tally_image image;
	uint32_t crc = 0;
	const char *link = own->elf.data ? tally_places_debuglink(&own->elf, &crc) : NULL;
	int ret = tally_places_user(dso, link, &id, &places);

	if (ret)
		return ret;
	tally_vec_for_each (place, &places.list) {
		if (own->elf.data && debug->elf.data)
			break;
		if (tally_place_open(place, &id, crc, &image))
			continue;
		if (!own->elf.data && is_mapped_file(&image.elf))
			*own = image;
		else if (!debug->elf.data && has_debug_frame(&image.elf))
			*debug = image;
		else
			tally_image_free(&image);
	}
	tally_places_free(&places);
	return 0;
}

/* Most of the functions that were looked at set one up: some call nobody. */
static bool sets_frame_pointers(const struct tally_elf *elf)
{
	struct tally_prologues prologues;

	return !tally_elf_prologues_look(elf, &prologues) && prologues.looked &&
	       prologues.frames * 10 >= prologues.looked * 8;
}

static int rules_compile(struct tally_dso *dso, const struct tally_image *own,
			 const struct tally_image *debug, size_t *ret_len)
{
	struct tally_elf_frames frames;
	size_t len = 0;
	int ret = tally_elf_frames_gather(&own->elf, debug->elf.data ? &debug->elf : NULL, &frames);

	if (!ret)
		ret = tally_unwind_compile(&frames.source, &dso->rules_block, &len);
	tally_elf_frames_free(&frames);
	dso->has_frame_pointers = !ret || (ret == -ENODATA && sets_frame_pointers(&own->elf));
	*ret_len = len;
	return ret ? ret : tally_unwind_table_open(dso->rules_block, len, &dso->rules);
}

/* Read the rules from files. `facts` is for an index of them. */
static int rules_read(struct tally_dso *dso, const struct tally_rules_facts *facts)
{
	struct tally_image own = {0}, debug = {0};
	bool is_searched = false;
	size_t len = 0;
	int ret, failure;

	switch (dso->kind) {
	case TALLY_DSO_USER: failure = tally_dso_open_unchanged(dso, &own); break;
	case TALLY_DSO_VDSO: failure = tally_dso_open_vdso(dso, &own); break;
	default: return -ENODATA;
	}
	is_searched = !own.elf.data || !has_rules(&own.elf);
	ret = is_searched ? rules_search(dso, &own, &debug) : 0;
	if (!ret)
		ret = own.elf.data ? rules_compile(dso, &own, &debug, &len) : failure;
	if (tally_file_map_check(&own.map) || tally_file_map_check(&debug.map))
		ret = -EIO;
	if (!ret && (!is_searched || dso->is_kept))
		tally_dso_index_save_rules(dso, facts, &own, len);
	tally_image_free(&own);
	tally_image_free(&debug);
	return ret;
}

int tally_dso_load_rules(struct tally_dso *dso)
{
	struct tally_rules_facts facts;
	int ret;

	if (!tally_dso_index_load_rules(dso, &facts))
		return 0;
	ret = rules_read(dso, &facts);
	return ret && !tally_dso_index_load_gone_rules(dso, ret) ? 0 : ret;
}
