/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of units, shared by the files of this room alone. */
#ifndef TALLY_DWARF_PRIVATE_H
#define TALLY_DWARF_PRIVATE_H

#include <elfutils/libdw.h>

#include "dwarf/dwarf.h"
#include "dwarf/pieces.h"

/* Pieces of code in any list. */
enum { TALLY_DWARF_PIECES_MAX = 16 << 20 };

/* Levels of inlining that are told apart, and of entries within entries that are looked into. */
enum { TALLY_DWARF_INLINED_MAX = TALLY_DWARF_LINES_MAX - 1, TALLY_DWARF_NESTED_MAX = 1024 };

/* A piece of a function, and which calls were inlined in any of its pieces. */
struct dwarf_function {
	struct dwarf_piece at;
	uint32_t first, last; /* in the unit's calls */
};

/* A piece of an inlined function. */
struct dwarf_call {
	uint64_t start, end;
	uint64_t origin; /* offset of the entry that has its name */
	bool is_alt;     /* in the file that dwz made */
	uint16_t depth;  /* 1: inlined into the function itself */
	uint32_t file, line;
};

struct dwarf_unit {
	Dwarf_Die die;   /* of the unit, or of the split one that it stands for */
	const char *dir; /* that the compiler ran in; NULL: not known */
	bool is_split;
	bool is_missing; /* it is a skeleton, whose split unit is not there */
	bool is_walked;
	int error;                                  /* of walking it */
	TALLY_VEC(struct dwarf_function) functions; /* by start */
	TALLY_VEC(struct dwarf_call) calls;
	Dwarf_Lines *rows;
	size_t nr_rows;
	Dwarf_Files *files;
	size_t nr_files;
	struct tally_map paths; /* by where a file's name is: its path */
};

/* Addresses of a unit. */
struct dwarf_range {
	struct dwarf_piece at;
	uint32_t unit;
};

struct tally_dwarf {
	Elf *elf, *alt_elf;
	Dwarf *debug, *alt;
	const unsigned char *info; /* the section of entries */
	size_t info_len;
	int nowhere; /* a descriptor, as libelf wants one */
	TALLY_VEC(struct dwarf_unit) units;
	TALLY_VEC(struct dwarf_range) ranges; /* by start */
	bool has_ranges;
	bool is_cut;            /* there may be more units behind one that is damaged */
	uint64_t nr_missing;    /* see tally_dwarf_missing() */
	struct tally_map names; /* by the offset of an entry: text */
	struct tally_map alt_names;
	struct tally_arena paths;
};

/* Find the units and which addresses they have. 0, -EBADMSG, -ENOMEM. */
int dwarf_units_read(struct tally_dwarf *dwarf);

/* The unit that has `addr`, with its functions and rows, and `part` cut to where the answer
 * is the same.
 * 0, -ENOENT, -EBADMSG, -E2BIG, -ENOMEM. */
int dwarf_unit_find(struct tally_dwarf *dwarf, uint64_t addr, struct dwarf_part *part,
		    struct dwarf_unit **ret_unit);

/* Read the functions of a unit and what is inlined in them. 0, -EBADMSG, -E2BIG, -ENOMEM. */
int dwarf_unit_walk(const struct tally_dwarf *dwarf, struct dwarf_unit *unit);

/* The name of an inlined function; NULL: it has none. */
const char *dwarf_call_name(struct tally_dwarf *dwarf, const struct dwarf_unit *unit,
			    const struct dwarf_call *call);

/* The path of a file that libdw names: with the directory of the compiler, if that says more. */
const char *dwarf_file_path(struct tally_dwarf *dwarf, struct dwarf_unit *unit, const char *file);

#endif
