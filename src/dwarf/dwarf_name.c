/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of inlined functions, and paths to source files. */
#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_private.h"

static const char *attribute_text(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Return the linkage name, or the source name and its scope if there is no linkage name. */
static const char *entry_name(struct tally_dwarf *dwarf, const struct dwarf_unit *unit,
			      Dwarf_Die *die)
{
	const char *text = attribute_text(die, DW_AT_linkage_name);

	if (!text)
		text = attribute_text(die, DW_AT_MIPS_linkage_name);
	if (text)
		return text;
	text = attribute_text(die, DW_AT_name);
	return text ? dwarf_scoped_name(dwarf, unit, die, text) : NULL;
}

const char *dwarf_call_name(struct tally_dwarf *dwarf, const struct dwarf_unit *unit,
			    const struct dwarf_call *call)
{
	struct tally_map *names = call->is_alt ? &dwarf->alt_names : &dwarf->names;
	Dwarf *of = call->is_alt ? dwarf->alt : dwarf_cu_getdwarf(unit->die.cu);
	uint64_t known = unit->is_split ? TALLY_MAP_NONE : tally_map_get(names, call->origin);
	const char *text = NULL;
	Dwarf_Die die;

	dwarf->nr_missing += call->is_alt && !of;
	if (known != TALLY_MAP_NONE)
		return (const char *)(uintptr_t)known;
	if (call->origin && of && dwarf_offdie(of, call->origin, &die))
		text = entry_name(dwarf, unit, &die);
	/* If caching fails, the name is looked up again next time. */
	if (!unit->is_split)
		(void)tally_map_set(names, call->origin, (uintptr_t)text);
	return text;
}

/* Return true if the path begins with the compilation directory, which means that libdw has
 * prepended it. */
static bool is_in(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && path[len] == '/';
}

static const char *path_join(struct tally_dwarf *dwarf, const char *dir, const char *path)
{
	size_t dir_len = strlen(dir), len = strlen(path);
	char *joined = tally_arena_bytes(&dwarf->paths, dir_len + len + 2);

	if (!joined)
		return path;
	memcpy(joined, dir, dir_len);
	joined[dir_len] = '/';
	memcpy(joined + dir_len + 1, path, len + 1);
	return joined;
}

const char *dwarf_file_path(struct tally_dwarf *dwarf, struct dwarf_unit *unit, const char *file)
{
	const char *dir = unit->dir, *path;
	uint64_t known;

	if (!file || *file == '/' || !dir || !*dir || is_in(file, dir))
		return file;
	known = tally_map_get(&unit->paths, (uintptr_t)file);
	if (known != TALLY_MAP_NONE)
		return (const char *)(uintptr_t)known;
	path = path_join(dwarf, dir, file);
	/* If caching fails, the path is joined again next time. */
	(void)tally_map_set(&unit->paths, (uintptr_t)file, (uintptr_t)path);
	return path;
}
