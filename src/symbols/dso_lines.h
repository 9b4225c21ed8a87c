/* SPDX-License-Identifier: BSD-2-Clause */
/* What a DSO knows of lines, inside this room. */
#ifndef TALLY_SYMBOLS_DSO_LINES_H
#define TALLY_SYMBOLS_DSO_LINES_H

#include "dwarf/worker.h"
#include "symbols/debug_info.h"

struct tally_dso_lines {
	struct tally_lines known; /* addresses are those of the debug information */
	bool is_found;            /* debug information was looked for */
	bool is_new;              /* something is known that the index has not */
	size_t nr_indexed;        /* of `known`: they were in the index */
	enum tally_dso_state state;
	struct tally_debug_info info;
	struct tally_dwarf_worker worker;
	bool has_worker;                  /* or what is left of it */
	uint64_t nr_given_up, nr_missing; /* see worker.h; of workers that were stopped */
	/* Inlined functions: names, their symbols by number, and those by where they are. */
	struct tally_intern names;
	TALLY_VEC(const struct tally_symbol *) symbols;
	struct tally_map inlined;
};

/* Take what the index knows, or write to it what was asked for. What fails is not missed. */
int tally_dso_lines_load(struct tally_dso *dso);
void tally_dso_lines_save(struct tally_dso *dso);

/* NULL is allowed. */
void tally_dso_lines_free(struct tally_dso *dso);

#endif
