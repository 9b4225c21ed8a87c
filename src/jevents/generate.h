/* SPDX-License-Identifier: BSD-2-Clause */
/* A run of tally-jevents, which generates C source from event descriptions. */
#ifndef TALLY_JEVENTS_GENERATE_H
#define TALLY_JEVENTS_GENERATE_H

#include <stdbool.h>
#include <stddef.h>

#include "jevents/diagnostic.h"

enum tally_generate_kind {
	TALLY_GENERATE_ALL,     /* models and map in one file */
	TALLY_GENERATE_CLASSIC, /* the same, in classic form */
	TALLY_GENERATE_MODEL,   /* one model, for use by a map in another file */
	TALLY_GENERATE_MAP,     /* map of models that are in other files */
};

struct tally_generate {
	enum tally_generate_kind kind;
	const char *arch;    /* "x86", "x86,arm64" or "all" */
	const char *start;   /* parent directory of the architectures */
	const char *output;  /* path of the C file, which is replaced atomically */
	const char *model;   /* for TALLY_GENERATE_MODEL: directory below the architecture */
	const char *depfile; /* may be NULL */
	bool strict;
	bool keep_going; /* omit input with errors and write the rest */
	struct tally_diagnostics *messages;
};

/* Counts of input items with errors. */
struct tally_generate_errors {
	size_t files; /* JSON files */
	size_t dirs;  /* unreadable, too large, or without a valid table name */
	size_t lines; /* lines in maps */
};

/* Compile a tree. A missing architecture or map is reported as a warning, and the map in the output
 * is empty. All errors are reported and counted in `*ret_left`. With `keep_going`, the output is
 * written without the affected items. Returns 0; -EINVAL for errors, without writing the output;
 * -E2BIG for more than 4 GiB of text; -ENOMEM; or the error from writing a file. */
int tally_generate(const struct tally_generate *generate, struct tally_generate_errors *ret_left);

#endif
