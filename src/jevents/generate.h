/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of tally-jevents. */
#ifndef TALLY_JEVENTS_GENERATE_H
#define TALLY_JEVENTS_GENERATE_H

#include <stdbool.h>
#include <stddef.h>

#include "jevents/diagnostic.h"

enum tally_generate_kind {
	TALLY_GENERATE_ALL,     /* models and map in one file */
	TALLY_GENERATE_CLASSIC, /* the same in classic form */
	TALLY_GENERATE_MODEL,   /* one model, shared */
	TALLY_GENERATE_MAP,     /* the map over shared models */
};

struct tally_generate {
	enum tally_generate_kind kind;
	const char *arch;    /* "x86", "x86,arm64" or "all" */
	const char *start;   /* directory of the architectures */
	const char *output;  /* path of the C file; replaced at once or not at all */
	const char *model;   /* of TALLY_GENERATE_MODEL: directory below the architecture */
	const char *depfile; /* or NULL */
	bool strict;
	bool keep_going; /* leave out what has errors and write the rest */
	struct tally_diagnostics *messages;
};

/* What has errors. */
struct tally_generate_left {
	size_t files; /* JSON files */
	size_t dirs;  /* directories: unreadable, without a name for the table, or too large */
	size_t lines; /* lines of maps */
};

/* Compile a tree. What is missing (the architecture, its map) is a warning, and the output has an
 * empty map. `*ret_left` counts what has errors, all of them told; with `keep_going` the output is
 * written without it. 0; -EINVAL for errors, and no output is written; -E2BIG for more than 4 GiB
 * of text; -ENOMEM; or the error of writing a file. */
int tally_generate(const struct tally_generate *generate, struct tally_generate_left *ret_left);

#endif
