/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwarf/dwarf_types.h"

#include <errno.h>

/* Limits on the typedefs of a type, and on the nesting of arrays and members. */
enum { TYPEDEFS_MAX = 64, NESTED_MAX = 32 };

bool dwarf_type_of(Dwarf_Die *die, Dwarf_Die *ret_type)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, DW_AT_type, &attribute) &&
	       dwarf_formref_die(&attribute, ret_type);
}

/* Get the type in a type unit that a declaration refers to. */
static bool type_in_unit(Dwarf_Die *declaration, Dwarf_Die *ret_type)
{
	Dwarf_Attribute signature;

	return dwarf_attr(declaration, DW_AT_signature, &signature) &&
	       dwarf_formref_die(&signature, ret_type);
}

bool dwarf_type_peel(const Dwarf_Die *type, Dwarf_Die *ret_type)
{
	Dwarf_Die at = *type;

	for (int i = 0; i < TYPEDEFS_MAX; i++) {
		Dwarf_Die next;

		if (dwarf_type_is_wrapper(&at)) {
			if (!dwarf_type_of(&at, &next))
				return false;
		} else if (!type_in_unit(&at, &next)) {
			*ret_type = at;
			return true;
		}
		at = next;
	}
	return false;
}

/* Get the number of elements in all dimensions of an array. Returns false if it is unknown. */
static bool array_length(Dwarf_Die *array, uint64_t *ret_length)
{
	Dwarf_Attribute attribute;
	Dwarf_Die range;
	Dwarf_Word value;
	bool is_known = false;

	*ret_length = 1;
	for (int ret = dwarf_child(array, &range); !ret; ret = dwarf_siblingof(&range, &range)) {
		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		if (dwarf_attr(&range, DW_AT_count, &attribute)) {
			if (dwarf_formudata(&attribute, &value))
				return false;
		} else if (!dwarf_attr(&range, DW_AT_upper_bound, &attribute) ||
			   dwarf_formudata(&attribute, &value) || !++value) {
			return false;
		}
		if (__builtin_mul_overflow(*ret_length, value, ret_length))
			return false;
		is_known = true;
	}
	return is_known;
}

bool dwarf_type_size(const Dwarf_Die *type, uint64_t *ret_size)
{
	uint64_t all = 1, length;
	Dwarf_Die at, element = *type;
	int size;

	for (int i = 0; i < NESTED_MAX; i++) {
		if (!dwarf_type_peel(&element, &at))
			return false;
		size = dwarf_bytesize(&at);
		if (size >= 0)
			return !__builtin_mul_overflow(all, (uint64_t)size, ret_size);
		if (dwarf_type_is_pointer(&at)) {
			uint8_t pointer = 8;

			(void)dwarf_cu_die(at.cu, &element, NULL, NULL, &pointer, NULL, NULL, NULL);
			return !__builtin_mul_overflow(all, (uint64_t)pointer, ret_size);
		}
		if (dwarf_tag(&at) != DW_TAG_array_type || !array_length(&at, &length) ||
		    __builtin_mul_overflow(all, length, &all) || !dwarf_type_of(&at, &element))
			return false;
	}
	return false;
}

bool dwarf_type_element(const Dwarf_Die *type, int64_t *offset, Dwarf_Die *ret_type,
			Dwarf_Die *ret_named)
{
	Dwarf_Die at = *type, element;
	bool is_array = false;
	uint64_t size;

	for (int i = 0; i < NESTED_MAX; i++) {
		if (!dwarf_type_peel(&at, ret_type))
			return false;
		if (dwarf_tag(ret_type) != DW_TAG_array_type) {
			if (ret_named)
				*ret_named = at;
			if (!is_array)
				return true;
			if (!dwarf_type_size(ret_type, &size) || !size || size > INT64_MAX)
				return false;
			*offset %= (int64_t)size;
			return true;
		}
		is_array = true;
		if (!dwarf_type_of(ret_type, &element))
			return false;
		at = element;
	}
	return false;
}

bool dwarf_member_offset(Dwarf_Die *member, uint64_t *ret_offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *ops;
	size_t nr;

	*ret_offset = 0;
	if (dwarf_attr(member, DW_AT_data_bit_offset, &attribute)) {
		if (dwarf_formudata(&attribute, ret_offset))
			return false;
		*ret_offset /= 8;
		return true;
	}
	if (!dwarf_attr(member, DW_AT_data_member_location, &attribute))
		return true;
	if (!dwarf_formudata(&attribute, ret_offset))
		return true;
	if (dwarf_getlocation(&attribute, &ops, &nr) || nr != 1 || ops[0].atom != DW_OP_plus_uconst)
		return false;
	*ret_offset = ops[0].number;
	return true;
}

/* Find a member of `type` that contains the offset. */
static bool member_at(Dwarf_Die *type, Dwarf_Die *member, bool is_next, int64_t offset,
		      int64_t *ret_rest, Dwarf_Die *ret_type)
{
	int ret = is_next ? dwarf_siblingof(member, member) : dwarf_child(type, member);
	uint64_t start, size;

	for (; !ret; ret = dwarf_siblingof(member, member)) {
		int tag = dwarf_tag(member);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !dwarf_member_offset(member, &start) || !dwarf_type_of(member, ret_type))
			continue;
		if (!dwarf_type_size(ret_type, &size))
			continue;
		if ((uint64_t)offset < start || (uint64_t)offset - start >= size)
			continue;
		*ret_rest = offset - (int64_t)start;
		return true;
	}
	return false;
}

/* A union may have several members at an offset: look for a pointer in each of them, but visit at
 * most `*left` types, as damaged types may contain themselves. */
static bool pointer_at(const Dwarf_Die *type, int64_t offset, int depth, unsigned *left,
		       Dwarf_Die *ret_pointer)
{
	Dwarf_Die at, member, inner;
	int64_t rest;

	if (offset < 0 || depth > TALLY_TYPE_DEPTH_MAX || !*left ||
	    !dwarf_type_element(type, &offset, &at, NULL))
		return false;
	--*left;
	if (dwarf_type_is_pointer(&at)) {
		*ret_pointer = at;
		return !offset;
	}
	if (!dwarf_type_has_members(&at))
		return false;
	for (bool is_next = false; member_at(&at, &member, is_next, offset, &rest, &inner);
	     is_next = true) {
		if (pointer_at(&inner, rest, depth + 1, left, ret_pointer))
			return true;
	}
	return false;
}

bool dwarf_type_pointer_at(const Dwarf_Die *type, int64_t offset, Dwarf_Die *ret_pointer)
{
	unsigned left = TALLY_TYPE_MEMBERS_MAX;

	return pointer_at(type, offset, 0, &left, ret_pointer);
}

enum tally_variable_result dwarf_pointer_reaches(const Dwarf_Die *target, int64_t *offset)
{
	int64_t in_element = *offset;
	Dwarf_Die element;
	uint64_t size;

	if (!dwarf_type_element(target, &in_element, &element, NULL) ||
	    !dwarf_type_size(&element, &size) || !size || size > INT64_MAX)
		return TALLY_VARIABLE_NO_TYPE;
	if (*offset < 0)
		return TALLY_VARIABLE_OUTSIDE;
	if (!dwarf_type_has_members(&element))
		*offset %= (int64_t)size;
	else if (!dwarf_type_size(target, &size) || (uint64_t)*offset >= size)
		return TALLY_VARIABLE_OUTSIDE;
	return TALLY_VARIABLE_FOUND;
}
