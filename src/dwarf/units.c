/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the unit that contains an address. */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arith.h"
#include "base/str.h"
#include "dwarf/dwarf_private.h"

static int range_add(struct tally_dwarf *dwarf, uint64_t start, uint64_t end, size_t unit)
{
	/* Functions discarded by the linker start at 0, or at the end of the address space. */
	if (!start || start >= end)
		return 0;
	return tally_vec_push(&dwarf->ranges,
			      (struct dwarf_range){{start, end, 0}, (uint32_t)unit});
}

/* Add the ranges of the functions in a unit that does not list its address ranges. */
static int add_functions(struct tally_dwarf *dwarf, size_t number)
{
	struct dwarf_unit *unit = &dwarf->units.data[number];
	int ret = dwarf_unit_walk(dwarf, unit);

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	tally_vec_for_each (function, &unit->functions) {
		if (!ret)
			ret = range_add(dwarf, function->at.start, function->at.end, number);
	}
	return ret;
}

static const char *text_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* Return true if libdw may open the file that a skeleton unit names. Opening a FIFO could block
 * indefinitely. */
static bool is_split_file(Dwarf_Die *skeleton)
{
	const char *name = text_of(skeleton, DW_AT_dwo_name);
	const char *dir = text_of(skeleton, DW_AT_comp_dir);
	struct tally_str path = {0};
	struct stat st;
	bool is_file;

	name = name ? name : text_of(skeleton, DW_AT_GNU_dwo_name);
	if (!name)
		return false;
	if (*name != '/' && dir)
		tally_str_addf(&path, "%s/", dir);
	tally_str_add(&path, name);
	is_file =
		!tally_str_error(&path) && !stat(tally_str_text(&path), &st) && S_ISREG(st.st_mode);
	tally_str_free(&path);
	return is_file;
}

/* Find the split unit that a skeleton unit refers to. Returns false if the split unit is
 * missing. */
static bool split_find(Dwarf_CU *cu, Dwarf_Die *skeleton, Dwarf_Die *ret_split)
{
	Dwarf_Die split = {0};

	if (!is_split_file(skeleton) ||
	    dwarf_cu_info(cu, NULL, NULL, NULL, &split, NULL, NULL, NULL) || !split.addr)
		return false;
	*ret_split = split;
	return true;
}

/* Add a unit. `die` is the DIE of the unit itself, or of a split unit's skeleton. */
static int unit_add(struct tally_dwarf *dwarf, Dwarf_Die *die, bool is_skeleton,
		    const Dwarf_Die *split)
{
	struct dwarf_unit unit = {
		.die = split ? *split : *die,
		.is_split = split,
		.is_missing = is_skeleton && !split,
	};
	size_t number = dwarf->units.len, before = dwarf->ranges.len;
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int ret;

	unit.dir = text_of(die, DW_AT_comp_dir);
	ret = tally_vec_push(&dwarf->units, unit);

	while (!ret && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		ret = range_add(dwarf, start, end, number);
	if (!ret && dwarf->ranges.len == before)
		ret = add_functions(dwarf, number);
	return ret;
}

/* Sort equal ranges by descending unit number, so that a lookup finds the first of several units
 * that list the same function. The linker keeps only one copy of such a function. */
static int by_unit(const void *a, const void *b)
{
	const struct dwarf_range *x = a, *y = b;

	return x->unit > y->unit ? -1 : x->unit < y->unit;
}

int dwarf_units_read(struct tally_dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	Dwarf_Half version;
	uint8_t type;
	int ret = 0, next = 0;

	while (!ret &&
	       !(next = dwarf_get_units(dwarf->debug, cu, &cu, &version, &type, &die, NULL))) {
		if (type == DW_UT_compile)
			ret = unit_add(dwarf, &die, false, NULL);
		else if (type == DW_UT_skeleton)
			ret = unit_add(dwarf, &die, true,
				       split_find(cu, &die, &split) ? &split : NULL);
	}
	if (!ret)
		DWARF_PIECES_SORT(&dwarf->ranges, by_unit);
	dwarf->is_cut = next < 0;
	dwarf->has_ranges = true;
	return ret;
}

static int unit_number(struct tally_dwarf *dwarf, uint64_t addr, struct dwarf_part *part,
		       uint32_t *ret_unit)
{
	const struct dwarf_range *range;
	int ret = dwarf->has_ranges ? 0 : dwarf_units_read(dwarf);

	if (ret)
		return ret;
	range = DWARF_PIECES_FIND(&dwarf->ranges, addr, part);
	if (!range)
		return dwarf->is_cut ? -EBADMSG : -ENOENT;
	*ret_unit = range->unit;
	return 0;
}

int tally_dwarf_unit(struct tally_dwarf *dwarf, uint64_t addr, uint32_t *ret_unit)
{
	struct dwarf_part part = {0, UINT64_MAX};

	return unit_number(dwarf, addr, &part, ret_unit);
}

int dwarf_unit_find(struct tally_dwarf *dwarf, uint64_t addr, struct dwarf_part *part,
		    struct dwarf_unit **ret_unit)
{
	uint32_t number;
	int ret = unit_number(dwarf, addr, part, &number);

	if (!ret)
		ret = dwarf_unit_walk(dwarf, &dwarf->units.data[number]);
	if (ret)
		return ret;
	dwarf->nr_missing += dwarf->units.data[number].is_missing;
	*ret_unit = &dwarf->units.data[number];
	return 0;
}

int dwarf_function_find(struct tally_dwarf *dwarf, uint64_t addr, struct dwarf_unit **ret_unit,
			Dwarf_Die *ret_function)
{
	const struct dwarf_function *function;
	struct dwarf_part part = {0, UINT64_MAX};
	int ret = dwarf_unit_find(dwarf, addr, &part, ret_unit);

	if (ret)
		return ret;
	function = DWARF_PIECES_FIND(&(*ret_unit)->functions, addr, &part);
	*ret_function = (Dwarf_Die){0};
	if (function) {
		ret_function->cu = (*ret_unit)->die.cu;
		ret_function->addr = (void *)(uintptr_t)function->entry;
	}
	return 0;
}
