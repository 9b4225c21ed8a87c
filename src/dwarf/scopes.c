/* SPDX-License-Identifier: BSD-2-Clause */
#include "dwarf/scopes.h"

#include <dwarf.h>

enum { SCOPES_MAX = 4 << 20 };

bool dwarf_is_scope(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type: return true;
	default: return false;
	}
}

int dwarf_scope_enter(struct dwarf_scopes *scopes, const Dwarf_Die *die)
{
	struct dwarf_scope scope = {.start = die->addr, .parent = scopes->current};
	int ret;

	if (scopes->list.len == SCOPES_MAX) {
		dwarf_scopes_free(scopes);
		scopes->is_full = true;
	}
	if (scopes->is_full)
		return 0;
	if (scopes->current)
		scopes->list.data[scopes->current - 1].is_used = true;
	ret = tally_vec_push(&scopes->list, scope);
	if (!ret)
		scopes->current = (uint32_t)scopes->list.len;
	return ret;
}

void dwarf_scope_leave(struct dwarf_scopes *scopes, const unsigned char *end)
{
	struct dwarf_scope *scope;

	if (scopes->is_full)
		return;
	scope = &scopes->list.data[scopes->current - 1];
	scope->end = end;
	/* An unused scope is the last one of the list. */
	if (!scope->is_used)
		scopes->list.len--;
	scopes->current = scope->parent;
}

const struct dwarf_scope *dwarf_scope_of(const struct dwarf_scopes *scopes, const Dwarf_Die *die)
{
	const unsigned char *at = die->addr;
	size_t low = 0, high = scopes->list.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scopes->list.data[middle].start < at)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && scopes->list.data[low - 1].end <= at)
		low = scopes->list.data[low - 1].parent;
	return low ? &scopes->list.data[low - 1] : NULL;
}

void dwarf_scopes_free(struct dwarf_scopes *scopes)
{
	tally_vec_free(&scopes->list);
}
