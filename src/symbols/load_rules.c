/* SPDX-License-Identifier: BSD-2-Clause */
/* Load an object's unwind rules from its mapped file and its debug file. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/arith.h"
#include "symbols/cache/index_rules.h"
#include "symbols/candidates.h"
#include "symbols/dso.h"
#include "symbols/elf/elf_bytes.h"
#include "symbols/elf/elf_frames.h"
#include "symbols/elf/prologue.h"
#include "symbols/load_errors.h"
#include "symbols/load_rules.h"
#include "symbols/mapped_file.h"
#include "symbols/vdso.h"

static bool has_section(const struct tally_elf *elf, const char *name)
{
	struct tally_elf_section section;

	return tally_elf_section_by_name(elf, name, &section) && section.type != SHT_NOBITS;
}

/* Return the number of bytes between file offsets `start` and `end` that are covered by rules. */
static uint64_t covered_bytes(const struct tally_unwind_table *rules, uint64_t start, uint64_t end)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < rules->head.nr_rows; i++) {
		bool is_last = i + 1 == rules->head.nr_rows;
		uint64_t from = TALLY_MAX(rules->starts[i], start);
		uint64_t to = is_last ? end : TALLY_MIN(rules->starts[i + 1], end);

		sum += rules->rules[i] && from < to ? to - from : 0;
	}
	return sum;
}

/* Return true if the rules cover at least half of the code. Files built without rules still contain
 * those for the compiler's startup code. Other files may lack rules for some of their assembly
 * code. */
static bool covers_code(const struct tally_unwind_table *rules, const struct tally_elf *elf)
{
	struct tally_elf_section text;

	return tally_elf_section_by_name(elf, ".text", &text) &&
	       covered_bytes(rules, text.offset, text.offset + text.size) >= text.size / 2;
}

/* Return true if the image can be the mapped file. A debug file has the section headers, but not
 * the sections' contents. */
static bool is_mapped_file(const struct tally_elf *elf)
{
	return has_section(elf, ".eh_frame") || has_section(elf, ".text") || !elf->shnum;
}

/* Search the candidate paths for whichever of the mapped file and the debug file has not been found
 * yet. */
static int rules_search(struct tally_dso *dso, struct tally_image *own, struct tally_image *debug)
{
	struct tally_places places = {0};
	struct tally_build_id id;
	struct tally_image image;
	uint32_t crc;
	int ret = tally_places_other(dso, own, &id, &crc, &places);

	if (ret)
		return ret;
	tally_vec_for_each (place, &places.list) {
		if (own->elf.data && debug->elf.data)
			break;
		if (tally_place_open(place, &id, crc, &image))
			continue;
		if (!own->elf.data && is_mapped_file(&image.elf))
			*own = image;
		else if (!debug->elf.data && tally_elf_has_bytes(&image.elf, ".debug_frame"))
			*debug = image;
		else
			tally_image_free(&image);
	}
	tally_places_free(&places);
	return 0;
}

/* Return true if most of the inspected functions set up a frame pointer. Functions that call no
 * other function may omit it. */
static bool sets_frame_pointers(const struct tally_elf *elf)
{
	struct tally_prologues prologues;

	return !tally_elf_prologues_scan(elf, &prologues) && prologues.looked &&
	       prologues.frames * 10 >= prologues.looked * 8;
}

/* Rules that were compiled. */
struct compiled {
	struct tally_unwind_table table; /* borrows from `block` */
	void *block;                     /* owned */
	size_t len;
	bool has_frame_pointers;
	bool functions_only; /* see struct tally_unwind_source */
	bool is_searched;    /* other files than the mapped one were searched */
};

static int rules_compile(const struct tally_image *own, const struct tally_image *debug,
			 struct compiled *made)
{
	struct tally_elf_frames frames;
	int ret = tally_elf_frames_gather(&own->elf, debug->elf.data ? &debug->elf : NULL, &frames);

	free(made->block);
	made->block = NULL;
	made->len = 0;
	frames.source.functions_only = made->functions_only;
	if (!ret)
		ret = tally_unwind_compile(&frames.source, &made->block, &made->len);
	tally_elf_frames_free(&frames);
	made->has_frame_pointers = !ret || (ret == -ENODATA && sets_frame_pointers(&own->elf));
	return ret ? ret : tally_unwind_table_open(made->block, made->len, &made->table);
}

/* Compile the mapped file's rules. If they do not cover its code, also search other files and use
 * their rules. */
static int rules_make(struct tally_dso *dso, struct tally_image *own, struct tally_image *debug,
		      struct compiled *made)
{
	bool had_own = own->elf.data;
	int ret = had_own ? rules_compile(own, debug, made) : -ENODATA, failed;

	made->is_searched = ret || !covers_code(&made->table, &own->elf);
	if (!made->is_searched)
		return 0;
	failed = rules_search(dso, own, debug);
	if (failed || (own->elf.data && (!had_own || debug->elf.data)))
		ret = failed ? failed : rules_compile(own, debug, made);
	return ret;
}

/* Compile what `made` asks for, and keep the mapped file open. Returns 0 or -errno; the caller
 * frees `ret_own` and made->block in either case. */
static int rules_read(struct tally_dso *dso, struct compiled *made, struct tally_image *ret_own)
{
	struct tally_image debug = {0};
	int ret, failure;

	*ret_own = (struct tally_image){0};
	if (dso->kind != TALLY_DSO_USER && dso->kind != TALLY_DSO_VDSO)
		return -ENODATA;
	failure = dso->kind == TALLY_DSO_VDSO ? tally_dso_open_vdso(dso, ret_own)
					      : tally_dso_open_unchanged(dso, ret_own);
	ret = rules_make(dso, ret_own, &debug, made);
	if (ret && !ret_own->elf.data)
		ret = failure;
	if (tally_file_map_check(&ret_own->map) || tally_file_map_check(&debug.map))
		ret = -EIO;
	tally_image_free(&debug);
	return ret;
}

/* Return true if the index may store what was made. */
static bool is_storable(const struct tally_dso *dso, const struct compiled *made)
{
	return !made->is_searched || dso->cached.is_kept;
}

static int rules_load(struct tally_dso *dso)
{
	struct tally_rules_facts facts;
	struct compiled made = {0};
	struct tally_image own;
	int ret;

	if (!tally_dso_index_load_rules(dso, &facts))
		return 0;
	ret = rules_read(dso, &made, &own);
	dso->rules.block = made.block;
	dso->rules.table = made.table;
	dso->rules.has_frame_pointers = made.has_frame_pointers;
	if (!ret && is_storable(dso, &made))
		tally_dso_index_save_rules(dso, &facts, &own, made.len);
	tally_image_free(&own);
	return ret && !tally_dso_index_load_rules_by_id(dso, ret) ? 0 : ret;
}

const struct tally_unwind_table *tally_dso_rules(struct tally_dso *dso)
{
	int ret;

	if (dso->rules.state == TALLY_DSO_NOT_LOADED) {
		ret = rules_load(dso);
		dso->rules.state = tally_dso_state_of_error(ret);
	}
	return dso->rules.state == TALLY_DSO_LOADED ? &dso->rules.table : NULL;
}

/* ---- functions ------------------------------------------------------------------- */

static int functions_load(struct tally_dso *dso)
{
	struct tally_rules_facts facts;
	struct compiled made = {.functions_only = true};
	struct tally_image own;
	int ret;

	if (!tally_dso_index_load_functions(dso, &facts))
		return 0;
	ret = rules_read(dso, &made, &own);
	dso->bounds.block = made.block;
	dso->bounds.table = made.table;
	if (!ret && is_storable(dso, &made))
		tally_dso_index_save_functions(dso, &facts, &own, made.len);
	tally_image_free(&own);
	return ret && !tally_dso_index_load_functions_by_id(dso, ret) ? 0 : ret;
}

const struct tally_unwind_table *tally_dso_functions(struct tally_dso *dso)
{
	if (!dso->bounds.was_tried) {
		dso->bounds.was_tried = true;
		dso->bounds.is_loaded = !functions_load(dso);
	}
	return dso->bounds.is_loaded ? &dso->bounds.table : NULL;
}

void tally_dso_move_rules(struct tally_dso *dso, struct tally_dso *twin)
{
	if (dso->rules.state != TALLY_DSO_NOT_LOADED)
		return;
	dso->rules.table = twin->rules.table;
	dso->rules.block = twin->rules.block;
	dso->rules.index = twin->rules.index;
	dso->rules.state = twin->rules.state;
	dso->rules.has_frame_pointers = twin->rules.has_frame_pointers;
	twin->rules.block = NULL;
	twin->rules.index = (struct tally_index){0};
	twin->rules.state = TALLY_DSO_NOT_LOADED;
}

bool tally_dso_has_frame_pointers(const struct tally_dso *dso)
{
	return dso->rules.has_frame_pointers;
}

enum tally_dso_state tally_dso_rules_state(const struct tally_dso *dso)
{
	return dso->rules.state;
}
