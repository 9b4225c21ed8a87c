/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The type of the data that a sampled instruction accesses, and the offset in it. The instruction
 * is decoded, and the variable that its memory operand refers to is found in debug information.
 *
 *	ret = tally_data_types_new(&types);
 *	ret = tally_data_types_find(types, dso, symbol, addr, &found);
 *
 * Answers are cached by address. x86-64 and AArch64 are supported. Not thread-safe.
 */
#ifndef TALLY_PROFILE_ANNOTATE_DATA_TYPES_H
#define TALLY_PROFILE_ANNOTATE_DATA_TYPES_H

#include "base/str.h"
#include "symbols/lines/symbols_types.h"

enum tally_data_result {
	TALLY_DATA_FOUND,
	TALLY_DATA_STACK,       /* a push, pop, call or return: no variable */
	TALLY_DATA_NO_FILE,     /* the address is not in a file, or not in a function */
	TALLY_DATA_NO_CODE,     /* the file's code is not available, or cannot be decoded */
	TALLY_DATA_NO_MEMORY,   /* the instruction does not access memory */
	TALLY_DATA_SEGMENT,     /* thread-local or per-CPU data */
	TALLY_DATA_NO_INFO,     /* no debug information for the address */
	TALLY_DATA_DAMAGED,     /* the debug information is damaged or too complex */
	TALLY_DATA_NO_VARIABLE, /* no variable is known to be there */
	TALLY_DATA_NO_TYPE,     /* the variable is not a pointer to a known type */
	TALLY_DATA_OUTSIDE,     /* the access is outside the type */
	TALLY_DATA_RESULTS,     /* number of results */
};

struct tally_data_type {
	uint8_t result;                /* enum tally_data_result */
	const struct tally_type *type; /* if found; valid until the symbols are freed */
	uint64_t offset;
};

struct tally_data_types;

/* Create a cache. Returns 0 or -ENOMEM. */
int tally_data_types_new(struct tally_data_types **ret_types);
void tally_data_types_free(struct tally_data_types *types);

/* Find the type of the data that the instruction at `addr` (see tally_dso_find()) accesses. `dso`
 * and `symbol`, the function around it, may be NULL. Returns 0 or -ENOMEM. */
int tally_data_types_find(struct tally_data_types *types, struct tally_dso *dso,
			  const struct tally_symbol *symbol, uint64_t addr,
			  struct tally_data_type *ret_type);

/* Return a description of a result, which is constant. */
const char *tally_data_result_text(enum tally_data_result result);

/* Call `visit` for each member that contains the offset, outer members first. `rest` is the offset
 * in the member; in an array, in the element. */
typedef void tally_member_fn(void *arg, uint32_t member, uint64_t rest);
void tally_type_visit_members(const struct tally_type *type, uint64_t offset,
			      tally_member_fn *visit, void *arg);

/* Append the path of the innermost member at an offset, such as "a.b[].c". In a union, it is that
 * of the first member that starts there. Appends nothing if there is no member with a name. */
void tally_type_add_path(const struct tally_type *type, uint64_t offset, struct tally_str *out);

#endif
