/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects code that a program has moved to huge pages: the program copies its code elsewhere, maps
 * memory over the original (MAP_FIXED) and copies the code back. Recordings contain the new
 * mapping, but do not show when a mapping is removed. Memory inside a library's code may therefore
 * belong to a JIT compiler, if the kernel placed it there after the library was closed. Huge pages
 * may even fit exactly into such a gap. Wrong symbols are worse than no symbols, so only the
 * program itself, which stays mapped, is assumed to have moved its code.
 */
#include "profile/process/machine_moved.h"

#include <string.h>

#include "base/arith.h"
#include "profile/process/machine_jit.h"

void machine_moved_set_program(struct tally_process *process, const struct tally_mapping *mapping)
{
	if (!process->program && mapping->is_code && tally_dso_kind(mapping->dso) == TALLY_DSO_USER)
		process->program = mapping->dso;
}

static bool is_anonymous(const char *name)
{
	return !strcmp(name, "//anon") || !strncmp(name, "[anon", 5) ||
	       !strncmp(name, "/anon_hugepage", 14);
}

/* Return true if the whole mapping covers code from a single file at unchanged offsets. */
static bool is_inside(struct tally_maps *maps, const struct tally_mapping *mapping,
		      const struct tally_mapping *file)
{
	const struct tally_mapping *at = file;

	while (at && at->is_code && at->dso == file->dso && at->shift == file->shift) {
		if (at->end >= mapping->end)
			return true;
		at = tally_maps_find(maps, at->end);
	}
	return false;
}

void machine_moved_assign(struct tally_process *process, const struct tally_mmap *mmap,
			  struct tally_mapping *mapping)
{
	const struct tally_mapping *found;
	struct tally_mapping file;

	if (mapping->start >= mapping->end || !is_anonymous(mmap->filename))
		return;
	found = tally_maps_find(process->maps, mapping->start);
	if (!found || found->dso != process->program || *tally_dso_name(found->dso) != '/')
		return;
	file = *found; /* the next look-up may overwrite it */
	if (!is_inside(process->maps, mapping, &file))
		return;
	if (tally_dso_kind(mapping->dso) == TALLY_DSO_PERF_MAP)
		process->moved_map = mapping->dso;
	file.start = mapping->start;
	file.end = mapping->end;
	file.is_moved = true;
	*mapping = file;
}

int machine_moved_key(const struct tally_process *process, const struct tally_mapping *mapping,
		      uint64_t ip, uint64_t *ret_key)
{
	struct tally_dso *map = process->moved_map;

	if (!mapping || !mapping->is_moved || !map || !tally_dso_find(map, ip))
		return 0;
	return machine_key_set_jit(map, ip, ret_key);
}
