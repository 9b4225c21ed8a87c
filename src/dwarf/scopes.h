/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scopes of functions: namespaces, types, and functions with local types. A DIE does not store its
 * parent, so the scopes are collected while a unit is walked, in the order of their DIEs. Scopes
 * that contain neither functions nor types are dropped.
 */
#ifndef TALLY_DWARF_SCOPES_H
#define TALLY_DWARF_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct dwarf_scope {
	const unsigned char *start, *end; /* DIE, and end of its list of children */
	uint32_t parent;                  /* index of the enclosing scope + 1, or 0 */
	bool is_used;                     /* contains a function or a type */
};

struct dwarf_scopes {
	TALLY_VEC(struct dwarf_scope) list; /* sorted by start */
	uint32_t current;                   /* during the walk: index of the scope + 1, or 0 */
	bool is_full;                       /* too many scopes: none is found */
};

/* Facts from the DIE of a scope. */
struct dwarf_scope_facts {
	const char *text; /* name, or NULL */
	bool has_outer;
	Dwarf_Die outer; /* the enclosing scope */
};

/* Return true if an entry with this tag is a scope. */
bool dwarf_is_scope(int tag);

/* The walk enters a scope, and leaves it at `end`, which is NULL if unknown. If there are too many
 * scopes, nothing is kept. Returns 0 or -ENOMEM. */
int dwarf_scope_enter(struct dwarf_scopes *scopes, const Dwarf_Die *die);
void dwarf_scope_leave(struct dwarf_scopes *scopes, const unsigned char *end);

/* Return the scope that contains a DIE of the same unit, or NULL. */
const struct dwarf_scope *dwarf_scope_of(const struct dwarf_scopes *scopes, const Dwarf_Die *die);

void dwarf_scopes_free(struct dwarf_scopes *scopes);

#endif
