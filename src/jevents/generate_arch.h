/* SPDX-License-Identifier: BSD-2-Clause */
/* The per-architecture part of a run. Internal to jevents. */
#ifndef TALLY_JEVENTS_GENERATE_ARCH_H
#define TALLY_JEVENTS_GENERATE_ARCH_H

#include "base/arena.h"
#include "base/str.h"
#include "jevents/catalog.h"
#include "jevents/generate.h"

/* State of a run. Strings are allocated in the arena. */
struct tally_generate_run {
	const struct tally_generate *generate;
	struct tally_arena arena;
	struct tally_catalog catalog;
	struct tally_str out, deps; /* contents of the C file; dependencies for the depfile */
	struct tally_generate_errors left;
};

/* Append a path, escaped for make and ninja. */
void tally_generate_path_add(struct tally_str *str, const char *path);

/* Emit a message that concerns a path as a whole. */
void tally_generate_emit(const struct tally_generate_run *run, enum tally_diagnostic_kind kind,
			 const char *path, const char *what, const char *why);

/* Read architecture `name` at `path`, and append its models to the output and its map to the
 * catalog. Both strings must live as long as the run. Items with errors are reported, counted and
 * omitted. Returns 0 or -ENOMEM. */
int tally_generate_arch(struct tally_generate_run *run, const char *name, const char *path);

#endif
