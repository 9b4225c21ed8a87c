/* SPDX-License-Identifier: BSD-2-Clause */
/* Types in debug information, private to this directory. All functions limit how far they follow
 * references, as these can form cycles in damaged debug information. */
#ifndef TALLY_DWARF_DWARF_TYPES_H
#define TALLY_DWARF_DWARF_TYPES_H

#include <dwarf.h>

#include "dwarf/dwarf_private.h"
#include "dwarf/types.h"

/* Get the type that an entry refers to. Returns false if there is none (void). */
bool dwarf_type_of(Dwarf_Die *die, Dwarf_Die *ret_type);

/* Remove typedefs and qualifiers such as const. Returns false if void remains. */
bool dwarf_type_peel(const Dwarf_Die *type, Dwarf_Die *ret_type);

/* Get the size of a type in bytes. Returns false if it is unknown, as for a declared struct. */
bool dwarf_type_size(const Dwarf_Die *type, uint64_t *ret_size);

/* Get the element type of an array, without typedefs and (unless NULL) with them. `offset` becomes
 * the offset in the element. A type that is not an array is its own element. Returns false if it is
 * unknown. */
bool dwarf_type_element(const Dwarf_Die *type, int64_t *offset, Dwarf_Die *ret_type,
			Dwarf_Die *ret_named);

/* Get the offset of a member. Returns false if it is not constant. */
bool dwarf_member_offset(Dwarf_Die *member, uint64_t *ret_offset);

/* Find the member at an offset in a type, and its members, down to a pointer that starts there.
 * Returns false if there is no pointer. */
bool dwarf_type_pointer_at(const Dwarf_Die *type, int64_t offset, Dwarf_Die *ret_pointer);

/* Return whether a pointer to `target` plus an offset is in a `target`. Pointers to numbers and
 * pointers are often pointers to arrays of them, so `offset` becomes the offset in an element.
 * Returns FOUND, OUTSIDE or NO_TYPE. */
enum tally_variable_result dwarf_pointer_reaches(const Dwarf_Die *target, int64_t *offset);

static inline bool dwarf_type_is_pointer(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
	       tag == DW_TAG_rvalue_reference_type;
}

static inline bool dwarf_type_is_array(const Dwarf_Die *type)
{
	Dwarf_Die at;

	return dwarf_type_peel(type, &at) && dwarf_tag(&at) == DW_TAG_array_type;
}

/* Return true for typedefs and qualifiers. */
static inline bool dwarf_type_is_wrapper(Dwarf_Die *type)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type: return true;
	default: return false;
	}
}

static inline bool dwarf_type_has_members(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Describe a type, which is not an array, with its members. The result is the same each time, and
 * valid until the handle is closed. Returns 0, -ENODATA if the type has no size, or -ENOMEM. */
int dwarf_type_describe(struct tally_dwarf *dwarf, const Dwarf_Die *type,
			const struct tally_type **ret_type);

#endif
