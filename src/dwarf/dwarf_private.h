/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit data, private to this directory. */
#ifndef TALLY_DWARF_PRIVATE_H
#define TALLY_DWARF_PRIVATE_H

#include <elfutils/libdw.h>

#include "dwarf/dwarf.h"
#include "base/intern.h"
#include "dwarf/pieces.h"
#include "dwarf/scopes.h"

/* Maximum number of code pieces in a list. */
enum { TALLY_DWARF_PIECES_MAX = 16 << 20 };

/* Maximum inlining depth, and maximum nesting depth of the entries that are visited. */
enum { TALLY_DWARF_INLINED_MAX = TALLY_DWARF_LINES_MAX - 1, TALLY_DWARF_NESTED_MAX = 1024 };

/* A piece of a function, and the calls inlined in any piece of the function. */
struct dwarf_function {
	struct dwarf_piece at;
	uint32_t first, last; /* range [first, last) in the unit's calls */
	const void *entry;    /* address of its DIE */
};

/* A piece of an inlined function. */
struct dwarf_call {
	uint64_t start, end;
	uint64_t origin; /* offset of the DIE that contains the name */
	bool is_alt;     /* `origin` is in the file created by dwz */
	uint16_t depth;  /* 1 if inlined into the function itself */
	uint32_t file, line;
};

struct dwarf_unit {
	Dwarf_Die die;   /* DIE of the unit, or of its split unit */
	const char *dir; /* compilation directory, or NULL if unknown */
	bool is_split;
	bool is_missing; /* skeleton unit; its split unit is missing */
	bool is_walked;
	int error;                                  /* result of dwarf_unit_walk() */
	TALLY_VEC(struct dwarf_function) functions; /* sorted by start */
	TALLY_VEC(struct dwarf_call) calls;
	struct dwarf_scopes scopes;
	Dwarf_Lines *rows;
	size_t nr_rows;
	Dwarf_Files *files;
	size_t nr_files;
	struct tally_map paths; /* address of libdw's file name -> full path */
};

/* A unit's address range. */
struct dwarf_range {
	struct dwarf_piece at;
	uint32_t unit;
};

/* A variable at a fixed address, such as a global one. */
struct dwarf_global {
	struct dwarf_piece at;
	Dwarf_Die die;
};

struct tally_dwarf {
	Elf *elf, *alt_elf;
	Dwarf *debug, *alt;
	const unsigned char *info; /* contents of .debug_info */
	size_t info_len;
	int nowhere; /* empty memfd: libelf needs a file descriptor */
	TALLY_VEC(struct dwarf_unit) units;
	TALLY_VEC(struct dwarf_range) ranges; /* sorted by start */
	bool has_ranges;
	bool is_cut;            /* units after a damaged unit may be missing */
	uint64_t nr_missing;    /* see tally_dwarf_missing() */
	struct tally_map names; /* DIE offset -> name */
	struct tally_map alt_names;
	struct tally_map scoped_names;    /* address of a DIE -> name with its scope */
	struct tally_intern scoped_texts; /* these names */
	struct tally_map scope_facts;     /* address of a DIE -> index in `facts` */
	TALLY_VEC(struct dwarf_scope_facts) facts;
	struct tally_map others;                     /* unit's address -> index in `other_scopes` */
	TALLY_VEC(struct dwarf_scopes) other_scopes; /* of units that share functions */
	struct tally_arena paths;
	TALLY_VEC(struct dwarf_global) globals; /* sorted by start */
	bool has_globals;
	struct tally_map types; /* address of a type's DIE -> struct tally_type, or 0 */
	struct tally_intern type_names;
	struct tally_arena type_memory;
};

/* Find the units and their address ranges. Returns 0, -EBADMSG or -ENOMEM. */
int dwarf_units_read(struct tally_dwarf *dwarf);

/* Find the unit that contains `addr` and read its functions and line table rows. `part` is reduced
 * to the addresses around `addr` for which the result is the same. Returns 0, -ENOENT, -EBADMSG,
 * -E2BIG or -ENOMEM. */
int dwarf_unit_find(struct tally_dwarf *dwarf, uint64_t addr, struct dwarf_part *part,
		    struct dwarf_unit **ret_unit);

/* Read the functions of a unit and the calls inlined in them. Returns 0, -EBADMSG, -E2BIG or
 * -ENOMEM. */
int dwarf_unit_walk(const struct tally_dwarf *dwarf, struct dwarf_unit *unit);

/* Read the scopes of a unit, given its DIE, and nothing else. Returns 0, -EBADMSG, -E2BIG or
 * -ENOMEM. */
int dwarf_scopes_read(const struct tally_dwarf *dwarf, const Dwarf_Die *die,
		      struct dwarf_scopes *ret_scopes);

/* Return `name`, which is the name of a DIE, with the scope of the DIE: "std::vector<int>::at". In
 * languages without scopes, or if a limit is exceeded, it is `name` itself. */
const char *dwarf_scoped_name(struct tally_dwarf *dwarf, const struct dwarf_unit *unit,
			      Dwarf_Die *die, const char *name);

/* Return the unit that contains `addr`, and the DIE of the function that does, if there is one.
 * Returns 0 or the same errors as dwarf_unit_find(). */
int dwarf_function_find(struct tally_dwarf *dwarf, uint64_t addr, struct dwarf_unit **ret_unit,
			Dwarf_Die *ret_function);

/* Return the name of an inlined function, or NULL if it is unnamed. */
const char *dwarf_call_name(struct tally_dwarf *dwarf, const struct dwarf_unit *unit,
			    const struct dwarf_call *call);

/* Return the path to a file named by libdw. The compilation directory is prepended if the path is
 * relative and does not already contain it. */
const char *dwarf_file_path(struct tally_dwarf *dwarf, struct dwarf_unit *unit, const char *file);

#endif
