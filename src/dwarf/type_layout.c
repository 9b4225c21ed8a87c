/* SPDX-License-Identifier: BSD-2-Clause */
/* Describe types: their names, sizes and members. */
#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "dwarf/dwarf_types.h"

/* Limit on the pointers and qualifiers in a type's name. */
enum { NAME_PARTS_MAX = 32 };

struct type_layout {
	struct tally_dwarf *dwarf;
	TALLY_VEC(struct tally_type_member) members;
};

/* ---- names ----------------------------------------------------------------------- */

static const char *tag_word(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type: return "struct ";
	case DW_TAG_class_type: return "class ";
	case DW_TAG_union_type: return "union ";
	case DW_TAG_enumeration_type: return "enum ";
	default: return "";
	}
}

/* Append what follows the name of the type pointed to, or of the element. */
static void add_suffix(Dwarf_Die *type, struct tally_str *suffix)
{
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type: tally_str_add(suffix, "*"); break;
	case DW_TAG_reference_type: tally_str_add(suffix, "&"); break;
	case DW_TAG_rvalue_reference_type: tally_str_add(suffix, "&&"); break;
	case DW_TAG_array_type: tally_str_add(suffix, "[]"); break;
	default: break;
	}
}

/* Append the name of a type that is not derived from another one. */
static void add_plain_name(Dwarf_Die *type, const char *typedef_name, struct tally_str *out)
{
	const char *name = dwarf_diename(type);
	Dwarf_Die plain;

	/* A declaration of a type in a type unit may have no name. */
	if (!name && dwarf_type_peel(type, &plain))
		name = dwarf_diename(&plain);

	if (name)
		tally_str_addf(out, "%s%s", tag_word(dwarf_tag(type)), name);
	else if (typedef_name)
		tally_str_add(out, typedef_name);
	else if (dwarf_tag(type) == DW_TAG_subroutine_type)
		tally_str_add(out, "(function)");
	else
		tally_str_addf(out, "%s(unnamed)", tag_word(dwarf_tag(type)));
}

/* Append a type's name in C. If `keeps_typedefs` is not set, a typedef's name is used only for a
 * type without a name. */
static void add_type_name(const Dwarf_Die *type, bool keeps_typedefs, struct tally_str *out)
{
	struct tally_str suffix = {0};
	const char *typedef_name = NULL;
	Dwarf_Die at = *type, next;
	bool is_void = false;

	for (int i = 0; i < NAME_PARTS_MAX; i++) {
		int tag = dwarf_tag(&at);
		bool is_derived = dwarf_type_is_pointer(&at) || tag == DW_TAG_array_type;

		if (tag == DW_TAG_typedef)
			typedef_name = dwarf_diename(&at);
		if (tag == DW_TAG_typedef && keeps_typedefs && typedef_name)
			break;
		if (!is_derived && !dwarf_type_is_wrapper(&at))
			break;
		if (is_derived) {
			add_suffix(&at, &suffix);
			typedef_name = NULL;
		}
		is_void = !dwarf_type_of(&at, &next);
		if (is_void)
			break;
		at = next;
	}
	if (is_void)
		tally_str_add(out, "void");
	else
		add_plain_name(&at, typedef_name, out);
	if (suffix.len && *tally_str_text(&suffix) != '[')
		tally_str_add_char(out, ' ');
	tally_str_add_bytes(out, tally_str_text(&suffix), suffix.len);
	out->failed |= suffix.failed;
	tally_str_free(&suffix);
}

/* Return a name's only copy, or NULL if memory runs out. */
static const char *type_name(struct tally_dwarf *dwarf, const Dwarf_Die *type, bool keeps_typedefs)
{
	struct tally_str name = {0};
	const char *ret = NULL;
	uint32_t id;

	add_type_name(type, keeps_typedefs, &name);
	if (!tally_str_error(&name) &&
	    !tally_intern(&dwarf->type_names, tally_str_text(&name), name.len, &id))
		ret = tally_intern_text(&dwarf->type_names, id);
	tally_str_free(&name);
	return ret;
}

/* ---- members --------------------------------------------------------------------- */

/* Return the size of a bit field in bytes, or `size` for another member. */
static uint64_t bit_field_size(Dwarf_Die *member, uint64_t size)
{
	Dwarf_Attribute attribute;
	Dwarf_Word bits, at;

	if (!dwarf_attr(member, DW_AT_data_bit_offset, &attribute) ||
	    dwarf_formudata(&attribute, &at) || !dwarf_attr(member, DW_AT_bit_size, &attribute) ||
	    dwarf_formudata(&attribute, &bits) || bits > UINT16_MAX)
		return size;
	return (at % 8 + bits + 7) / 8;
}

static int add_members(struct type_layout *layout, Dwarf_Die *type, uint64_t base, uint32_t depth);

static int add_member(struct type_layout *layout, Dwarf_Die *die, uint64_t base, uint32_t depth)
{
	struct tally_type_member member = {.depth = depth};
	Dwarf_Die type, element, named;
	int64_t none = 0;
	int ret;

	if (dwarf_hasattr(die, DW_AT_external) || !dwarf_member_offset(die, &member.offset) ||
	    !dwarf_type_of(die, &type))
		return 0;
	/* A flexible array has no size. */
	if (!dwarf_type_size(&type, &member.size))
		member.size = 0;
	member.size = bit_field_size(die, member.size);
	if (__builtin_add_overflow(member.offset, base, &member.offset) ||
	    !dwarf_type_element(&type, &none, &element, &named))
		return 0;
	if (dwarf_type_is_array(&type) && !dwarf_type_size(&element, &member.element))
		member.element = 0;
	member.name = dwarf_tag(die) == DW_TAG_member ? dwarf_diename(die) : NULL;
	member.type = type_name(layout->dwarf, &named, true);
	ret = member.type ? tally_vec_push(&layout->members, member) : -ENOMEM;
	if (!ret && dwarf_type_has_members(&element) && depth + 1 < TALLY_TYPE_DEPTH_MAX)
		ret = add_members(layout, &element, member.offset, depth + 1);
	return ret;
}

static int add_members(struct type_layout *layout, Dwarf_Die *type, uint64_t base, uint32_t depth)
{
	Dwarf_Die die;
	int ret = 0;

	for (int next = dwarf_child(type, &die); !next && !ret;
	     next = dwarf_siblingof(&die, &die)) {
		int tag = dwarf_tag(&die);

		if (layout->members.len >= TALLY_TYPE_MEMBERS_MAX)
			break;
		if (tag == DW_TAG_member || tag == DW_TAG_inheritance)
			ret = add_member(layout, &die, base, depth);
	}
	return ret;
}

/* Copy the members of a new type, and return the type, or NULL if memory runs out. */
static struct tally_type *type_store(struct type_layout *layout, const Dwarf_Die *type,
				     uint64_t size)
{
	struct tally_arena *arena = &layout->dwarf->type_memory;
	size_t len = layout->members.len * sizeof(struct tally_type_member);
	struct tally_type_member *members = tally_arena_alloc(arena, len ? len : 1);
	struct tally_type *stored = tally_arena_alloc(arena, sizeof(*stored));
	const char *name = type_name(layout->dwarf, type, false);

	if (!members || !stored || !name)
		return NULL;
	if (len)
		memcpy(members, layout->members.data, len);
	*stored = (struct tally_type){name, size, members, (uint32_t)layout->members.len};
	return stored;
}

static int type_make(struct tally_dwarf *dwarf, const Dwarf_Die *type,
		     const struct tally_type **ret_type)
{
	struct type_layout layout = {.dwarf = dwarf};
	Dwarf_Die plain;
	uint64_t size;
	int ret = dwarf_type_peel(type, &plain) && dwarf_type_size(&plain, &size) ? 0 : -ENODATA;

	if (!ret && dwarf_type_has_members(&plain))
		ret = add_members(&layout, &plain, 0, 0);
	if (!ret) {
		*ret_type = type_store(&layout, type, size);
		ret = *ret_type ? 0 : -ENOMEM;
	}
	tally_vec_free(&layout.members);
	return ret;
}

int dwarf_type_describe(struct tally_dwarf *dwarf, const Dwarf_Die *type,
			const struct tally_type **ret_type)
{
	uint64_t known = tally_map_get(&dwarf->types, (uintptr_t)type->addr);
	int ret;

	if (known != TALLY_MAP_NONE) {
		*ret_type = (const struct tally_type *)(uintptr_t)known;
		return known ? 0 : -ENODATA;
	}
	*ret_type = NULL;
	ret = type_make(dwarf, type, ret_type);
	if (ret && ret != -ENODATA)
		return ret;
	return tally_map_set(&dwarf->types, (uintptr_t)type->addr, (uintptr_t)*ret_type) ? -ENOMEM
											 : ret;
}
