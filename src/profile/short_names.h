/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Short names of functions (symbols/short_name.h) that are distinct in one list. Where two
 * different functions have the same short name, parameters are appended: "f(int)". If the names are
 * still equal, the scope, package or template argument in which the whole names differ follows in
 * brackets, then the source file, the address, and at last the mangled name. The names depend only
 * on the functions in the list, not on their order.
 */
#ifndef TALLY_PROFILE_SHORT_NAMES_H
#define TALLY_PROFILE_SHORT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"

struct tally_profile;
struct tally_profile_names;

/* A function. Functions with the same parameters and name are the same function, because a compiler
 * can make several copies of one, unless they have the same raw name and file, but different
 * addresses: a file can have several static functions with one name. */
struct tally_function_name {
	const char *name;   /* demangled */
	const char *raw;    /* mangled; or the same text */
	uint64_t address;   /* in its file */
	uint64_t file;      /* any number; 0 if the address does not distinguish functions */
	const char *source; /* path of the source file, or NULL */
};

struct tally_short_names {
	TALLY_VEC(const char *) texts; /* indexed like the functions */
	struct tally_arena arena;
};

/* Return the short names of `nr` functions. Names that do not get shorter are those of the
 * functions, so these must outlive the result. Returns 0, or -ENOMEM with nothing to free. */
int tally_short_names_make(const struct tally_function_name *functions, size_t nr,
			   struct tally_short_names *ret_names);
void tally_short_names_free(struct tally_short_names *names);

/* Return the short name of a frame that has a symbol, distinct among all functions of the profile.
 * All names are made by the first call, and again after frames were added or removed. Valid until
 * then. If there is not enough memory, returns the whole name. */
const char *tally_profile_short_name(const struct tally_profile *profile, uint32_t frame);

/* Used by the profile itself. */
struct tally_profile_names *tally_profile_names_new(void);
void tally_profile_names_free(struct tally_profile_names *names);

#endif
