/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Find a unit's functions and the calls inlined in them, in a single walk through the unit's
 * entries. Entries that cannot contain functions or calls are skipped by following their sibling
 * attributes.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "dwarf/dwarf_private.h"

struct unit_walk {
	struct dwarf_unit *unit;
	bool has_types;   /* types may contain functions with code */
	bool only_scopes; /* skip the code */
	/* Section that contains the entries, or NULL if unknown. */
	const unsigned char *section, *section_end;
	int error;
};

/* Depth of the current entry. */
struct level {
	uint32_t nested;  /* nesting depth of the entry */
	uint16_t inlined; /* inlining depth */
};

/* The attributes that are read from an entry. */
struct entry_attributes {
	Dwarf_Attribute low, high, ranges, origin, file, line;
};

static int attribute_collect(Dwarf_Attribute *attribute, void *arg)
{
	struct entry_attributes *wanted = arg;

	switch (attribute->code) {
	case DW_AT_low_pc: wanted->low = *attribute; break;
	case DW_AT_high_pc: wanted->high = *attribute; break;
	case DW_AT_ranges: wanted->ranges = *attribute; break;
	case DW_AT_abstract_origin: wanted->origin = *attribute; break;
	case DW_AT_call_file: wanted->file = *attribute; break;
	case DW_AT_call_line: wanted->line = *attribute; break;
	default: break;
	}
	return DWARF_CB_OK;
}

/* Return the value of an attribute, or 0 if it is missing. */
static uint32_t number_of(Dwarf_Attribute *attribute)
{
	Dwarf_Word value;

	if (!attribute->valp || dwarf_formudata(attribute, &value) || value > UINT32_MAX)
		return 0;
	return (uint32_t)value;
}

/* Get the range from low_pc to high_pc, which is either an address or an offset from low_pc. */
static bool simple_piece(struct entry_attributes *wanted, Dwarf_Addr *ret_start,
			 Dwarf_Addr *ret_end)
{
	Dwarf_Word len;

	if (!wanted->low.valp || !wanted->high.valp || dwarf_formaddr(&wanted->low, ret_start))
		return false;
	if (!dwarf_formaddr(&wanted->high, ret_end))
		return true;
	return !dwarf_formudata(&wanted->high, &len) &&
	       !__builtin_add_overflow(*ret_start, len, ret_end);
}

/* Callback for each piece of an entry's code. */
typedef int (*piece_take)(struct unit_walk *walk, uint64_t start, uint64_t end, const void *arg);

static int for_each_piece(struct unit_walk *walk, Dwarf_Die *die, struct entry_attributes *wanted,
			  piece_take take, const void *arg)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int ret = 0;

	if (!wanted->ranges.valp)
		return simple_piece(wanted, &start, &end) ? take(walk, start, end, arg) : 0;
	while (!ret && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0)
		ret = take(walk, start, end, arg);
	return ret;
}

static int add_function(struct unit_walk *walk, uint64_t start, uint64_t end, const void *arg)
{
	struct dwarf_function function = {.at = {start, end, 0}, .entry = arg};

	/* Code discarded by the linker starts at 0, or at the end of the address space. */
	if (!start || start >= end)
		return 0;
	if (walk->unit->functions.len == TALLY_DWARF_PIECES_MAX)
		return -E2BIG;
	function.first = (uint32_t)walk->unit->calls.len;
	return tally_vec_push(&walk->unit->functions, function);
}

static int add_call(struct unit_walk *walk, uint64_t start, uint64_t end, const void *arg)
{
	struct dwarf_call call = *(const struct dwarf_call *)arg;

	if (start >= end)
		return 0;
	call.start = start;
	call.end = end;
	if (walk->unit->calls.len == TALLY_DWARF_PIECES_MAX)
		return -E2BIG;
	return tally_vec_push(&walk->unit->calls, call);
}

/* Return true if the reference is to the file created by dwz. */
static bool is_alt(const Dwarf_Attribute *reference)
{
	return reference->valp &&
	       (reference->form == DW_FORM_GNU_ref_alt || reference->form == DW_FORM_ref_sup4 ||
		reference->form == DW_FORM_ref_sup8);
}

static int visit_call(struct unit_walk *walk, Dwarf_Die *die, const struct level *level)
{
	struct entry_attributes wanted = {0};
	struct dwarf_call call = {.depth = level->inlined};
	Dwarf_Die origin;

	dwarf_getattrs(die, attribute_collect, &wanted, 0);
	call.is_alt = is_alt(&wanted.origin);
	if (wanted.origin.valp && dwarf_formref_die(&wanted.origin, &origin))
		call.origin = dwarf_dieoffset(&origin);
	call.file = number_of(&wanted.file);
	call.line = number_of(&wanted.line);
	return for_each_piece(walk, die, &wanted, add_call, &call);
}

static int visit_function(struct unit_walk *walk, Dwarf_Die *die)
{
	struct entry_attributes wanted = {0};

	dwarf_getattrs(die, attribute_collect, &wanted, 0);
	return for_each_piece(walk, die, &wanted, add_function, die->addr);
}

static const unsigned char *walk_children(struct unit_walk *walk, Dwarf_Die *parent,
					  struct level level);

/* Return true if an entry of this kind may have descendants that contain code. */
static bool may_contain_code(const struct unit_walk *walk, int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_common_block: return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type: return walk->has_types;
	default: return false;
	}
}

/* Read the code of an entry. */
static int visit_code(struct unit_walk *walk, Dwarf_Die *die, int tag, const struct level *level)
{
	if (walk->only_scopes)
		return 0;
	if (tag == DW_TAG_subprogram)
		return visit_function(walk, die);
	if (tag != DW_TAG_inlined_subroutine)
		return 0;
	return level->inlined > TALLY_DWARF_INLINED_MAX ? -E2BIG : visit_call(walk, die, level);
}

/* Visit the children of a scope. */
static const unsigned char *visit_scope(struct unit_walk *walk, Dwarf_Die *die,
					const struct level *level)
{
	const unsigned char *end = NULL;

	walk->error = dwarf_scope_enter(&walk->unit->scopes, die);
	if (walk->error)
		return NULL;
	if (dwarf_haschildren(die) == 1)
		end = walk_children(walk, die, *level);
	dwarf_scope_leave(&walk->unit->scopes, end);
	return end;
}

/* Visit an entry and its descendants. Returns the end of its list of children, or NULL if
 * unknown. */
static const unsigned char *visit(struct unit_walk *walk, Dwarf_Die *die, struct level level)
{
	int tag = dwarf_tag(die);
	size_t first = walk->unit->functions.len;
	const unsigned char *end = NULL;

	level.nested++;
	level.inlined =
		tag == DW_TAG_subprogram ? 0 : level.inlined + (tag == DW_TAG_inlined_subroutine);
	walk->error =
		level.nested > TALLY_DWARF_NESTED_MAX ? -E2BIG : visit_code(walk, die, tag, &level);
	if (!walk->error && walk->has_types && dwarf_is_scope(tag))
		end = visit_scope(walk, die, &level);
	else if (!walk->error && may_contain_code(walk, tag) && dwarf_haschildren(die) == 1)
		end = walk_children(walk, die, level);
	if (tag == DW_TAG_subprogram) {
		for (size_t i = first; i < walk->unit->functions.len; i++) {
			if (!walk->unit->functions.data[i].last)
				walk->unit->functions.data[i].last =
					(uint32_t)walk->unit->calls.len;
		}
	}
	return end;
}

/* Advance to the entry after `die`. If the children of `die` have been visited, the end of their
 * list is known. Otherwise libdw has to walk through them again, unless `die` has a sibling
 * attribute. */
static int next_entry(const struct unit_walk *walk, Dwarf_Die *die,
		      const unsigned char *children_end)
{
	Dwarf_Die next = {.cu = die->cu};
	int ret = 0;

	if (children_end >= walk->section && children_end + 1 < walk->section_end) {
		next.addr = (void *)(uintptr_t)(children_end + 1);
		ret = !children_end[1];
	} else {
		ret = dwarf_siblingof(die, &next);
	}
	*die = next;
	return ret;
}

/* Visit all children of an entry. Returns the end of its list of children, or NULL if unknown. */
static const unsigned char *walk_children(struct unit_walk *walk, Dwarf_Die *parent,
					  struct level level)
{
	const unsigned char *end;
	Dwarf_Die die = {0};
	int ret = dwarf_child(parent, &die);

	while (!ret && !walk->error) {
		end = visit(walk, &die, level);
		if (!walk->error)
			ret = next_entry(walk, &die, end);
	}
	if (ret < 0 && !walk->error)
		walk->error = -EBADMSG;
	return ret > 0 ? die.addr : NULL;
}

/* In C, types cannot contain functions. */
static bool language_has_types(Dwarf_Die *die)
{
	switch (dwarf_srclang(die)) {
	case DW_LANG_C:
	case DW_LANG_C89:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_Mips_Assembler: return false;
	default: return true;
	}
}

static int by_calls(const void *a, const void *b)
{
	const struct dwarf_function *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

int dwarf_scopes_read(const struct tally_dwarf *dwarf, const Dwarf_Die *die,
		      struct dwarf_scopes *ret_scopes)
{
	struct dwarf_unit unit = {.die = *die};
	struct unit_walk walk = {.unit = &unit, .has_types = true, .only_scopes = true};

	/* The addresses are compared: a unit in another file is not in the section. */
	walk.section = dwarf->info;
	walk.section_end = dwarf->info + dwarf->info_len;
	(void)walk_children(&walk, &unit.die, (struct level){0});
	if (walk.error)
		dwarf_scopes_free(&unit.scopes);
	else
		*ret_scopes = unit.scopes;
	return walk.error;
}

int dwarf_unit_walk(const struct tally_dwarf *dwarf, struct dwarf_unit *unit)
{
	struct unit_walk walk = {.unit = unit, .has_types = language_has_types(&unit->die)};

	if (unit->is_walked)
		return unit->error;
	unit->is_walked = true;
	if (!unit->is_split) {
		walk.section = dwarf->info;
		walk.section_end = dwarf->info + dwarf->info_len;
	}
	(void)walk_children(&walk, &unit->die, (struct level){0});
	if (!walk.error)
		DWARF_PIECES_SORT(&unit->functions, by_calls);
	if (!walk.error && dwarf_getsrclines(&unit->die, &unit->rows, &unit->nr_rows))
		unit->nr_rows = 0;
	if (!walk.error && dwarf_getsrcfiles(&unit->die, &unit->files, &unit->nr_files))
		unit->nr_files = 0;
	unit->error = walk.error;
	return unit->error;
}
