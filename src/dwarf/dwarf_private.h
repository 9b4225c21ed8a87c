/* SPDX-License-Identifier: BSD-2-Clause */
/* Data about units, private to this directory. */
#ifndef TALLY_DWARF_PRIVATE_H
#define TALLY_DWARF_PRIVATE_H

#include <elfutils/libdw.h>

#include "dwarf/dwarf.h"
#include "dwarf/pieces.h"

/* Maximum number of pieces of code in a list. */
enum { TALLY_DWARF_PIECES_MAX = 16 << 20 };

/* Maximum depth of inlining, and of nested entries that are visited. */
enum { TALLY_DWARF_INLINED_MAX = TALLY_DWARF_LINES_MAX - 1, TALLY_DWARF_NESTED_MAX = 1024 };

/* A piece of a function, and the calls inlined in any piece of this function. */
struct dwarf_function {
	struct dwarf_piece at;
	uint32_t first, last; /* range in the calls of the unit */
};

/* A piece of an inlined function. */
struct dwarf_call {
	uint64_t start, end;
	uint64_t origin; /* offset of the entry that contains its name */
	bool is_alt;     /* in the file made by dwz */
	uint16_t depth;  /* 1: inlined into the function itself */
	uint32_t file, line;
};

struct dwarf_unit {
	Dwarf_Die die;   /* DIE of the unit, or of the split unit it refers to */
	const char *dir; /* compilation directory; NULL: unknown */
	bool is_split;
	bool is_missing; /* a skeleton with a missing split unit */
	bool is_walked;
	int error;                                  /* result of the walk */
	TALLY_VEC(struct dwarf_function) functions; /* sorted by start */
	TALLY_VEC(struct dwarf_call) calls;
	Dwarf_Lines *rows;
	size_t nr_rows;
	Dwarf_Files *files;
	size_t nr_files;
	struct tally_map paths; /* path by the address of the file name */
};

/* A range of addresses of a unit. */
struct dwarf_range {
	struct dwarf_piece at;
	uint32_t unit;
};

struct tally_dwarf {
	Elf *elf, *alt_elf;
	Dwarf *debug, *alt;
	const unsigned char *info; /* the section .debug_info */
	size_t info_len;
	int nowhere; /* empty memfd, because libelf needs a file descriptor */
	TALLY_VEC(struct dwarf_unit) units;
	TALLY_VEC(struct dwarf_range) ranges; /* sorted by start */
	bool has_ranges;
	bool is_cut;            /* units after a damaged one may be missing */
	uint64_t nr_missing;    /* see tally_dwarf_missing() */
	struct tally_map names; /* text by offset of the entry */
	struct tally_map alt_names;
	struct tally_arena paths;
};

/* Find the units and their address ranges. Returns 0, -EBADMSG or -ENOMEM. */
int dwarf_units_read(struct tally_dwarf *dwarf);

/* Find the unit that contains `addr` and read its functions and rows. `part` is reduced to the
 * range with the same result. Returns 0, -ENOENT, -EBADMSG, -E2BIG or -ENOMEM. */
int dwarf_unit_find(struct tally_dwarf *dwarf, uint64_t addr, struct dwarf_part *part,
		    struct dwarf_unit **ret_unit);

/* Read the functions of a unit and the calls inlined in them. Returns 0, -EBADMSG, -E2BIG or
 * -ENOMEM. */
int dwarf_unit_walk(const struct tally_dwarf *dwarf, struct dwarf_unit *unit);

/* Return the name of an inlined function, or NULL if it has no name. */
const char *dwarf_call_name(struct tally_dwarf *dwarf, const struct dwarf_unit *unit,
			    const struct dwarf_call *call);

/* Return the path of a file named by libdw. The compilation directory is prepended if the path is
 * relative and does not contain it already. */
const char *dwarf_file_path(struct tally_dwarf *dwarf, struct dwarf_unit *unit, const char *file);

#endif
