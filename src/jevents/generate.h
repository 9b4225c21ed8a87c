/* SPDX-License-Identifier: BSD-2-Clause */
/* One run of tally-jevents. */
#ifndef TALLY_JEVENTS_GENERATE_H
#define TALLY_JEVENTS_GENERATE_H

#include <stdbool.h>

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
	struct tally_diagnostics *messages;
};

/* Do it. What is missing (the architecture, its map) is a warning, and the output has an empty map.
 * 0; -EINVAL for errors of the tree's content, told, and no output is written; -ENOMEM; or the
 * error of reading or writing a file. */
int tally_generate(const struct tally_generate *generate);

#endif
