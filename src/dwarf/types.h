/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of variables, with their members, and the question which variable an instruction
 * accesses. */
#ifndef TALLY_DWARF_TYPES_H
#define TALLY_DWARF_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* A member of a struct or union, or a member of a member. */
struct tally_type_member {
	const char *name;      /* NULL if it has none */
	const char *type;      /* "unsigned int", "struct list *"; for an array, of an element */
	uint64_t offset, size; /* offset from the start of the outermost type */
	uint64_t element;      /* array: size of an element; otherwise 0 */
	uint32_t depth;        /* 0 for the type's own members */
};

/* A type. The members of a member follow it. For an array of structures, they are those of its
 * first element. */
struct tally_type {
	const char *name; /* "struct foo" */
	uint64_t size;
	const struct tally_type_member *members;
	uint32_t nr;
};

/* Limits for a type; members beyond are left out. */
enum { TALLY_TYPE_MEMBERS_MAX = 4096, TALLY_TYPE_DEPTH_MAX = 16 };

/* Instead of a register: the first offset is the address; or it is added to the value that the
 * function at the pc returns. */
enum { TALLY_VARIABLE_ADDRESS = -1, TALLY_VARIABLE_RETURNED = -2 };

/* Maximum number of offsets in a question: one more than the number of pointers followed. */
enum { TALLY_VARIABLE_OFFSETS_MAX = 4 };

/*
 * A location in memory, as instructions compute it: the value of register `base` at `pc`, plus
 * the first offset, is an address. For each further offset, the pointer at the address plus the
 * offset is the next address.
 */
struct tally_variable_question {
	uint64_t pc;  /* address of an instruction; the register's value is the one before it */
	int32_t base; /* DWARF register number, TALLY_VARIABLE_ADDRESS or _RETURNED */
	uint32_t nr;  /* number of offsets, at least 1 */
	int64_t offsets[TALLY_VARIABLE_OFFSETS_MAX];
	/* The canonical frame address at `pc`: the value of register `frame` - 1, plus
	 * `frame_offset`. 0 if it is unknown; variables on the stack may then not be found. */
	uint32_t frame;
	int64_t frame_offset;
};

enum tally_variable_result {
	TALLY_VARIABLE_FOUND,
	TALLY_VARIABLE_NO_UNIT,  /* there is no debug information for the pc */
	TALLY_VARIABLE_NONE,     /* no variable is known to be there */
	TALLY_VARIABLE_NO_TYPE,  /* the variable is not a pointer, or points to an unknown type */
	TALLY_VARIABLE_OUTSIDE,  /* the offset is outside the type */
	TALLY_VARIABLE_GIVEN_UP, /* the debug information is damaged or too complex */
	TALLY_VARIABLE_RESULTS,  /* number of results */
};

/* Answer: the type at the location, and the offset in it. */
struct tally_variable {
	uint32_t result;               /* enum tally_variable_result */
	const struct tally_type *type; /* if found */
	uint64_t offset;               /* less than the type's size */
};

#endif
