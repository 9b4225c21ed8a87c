/* SPDX-License-Identifier: BSD-2-Clause */
/* Source lines of a DSO, for use in this directory. */
#ifndef TALLY_SYMBOLS_DSO_LINES_H
#define TALLY_SYMBOLS_DSO_LINES_H

#include "dwarf/worker.h"
#include "symbols/debug_info.h"

struct tally_dso_lines {
	struct tally_lines known; /* by address in the debug information */
	bool is_found;            /* debug information was searched for */
	bool is_new;              /* some lines are not in the index */
	size_t nr_indexed;        /* number of spans in `known` that are from the index */
	enum tally_dso_state state;
	struct tally_debug_info info;
	struct tally_dwarf_worker worker;
	bool has_worker;                  /* the worker was started and not stopped yet */
	uint64_t nr_given_up, nr_missing; /* totals of stopped workers; see worker.h */
	/* Inlined functions: names, symbols by number of the name, and that number by symbol
	 * pointer. */
	struct tally_intern names;
	TALLY_VEC(const struct tally_symbol *) symbols;
	struct tally_map inlined;
};

/* Load the lines in the index; save the lines that were looked up to the index. Failures can be
 * ignored. */
int tally_dso_lines_load(struct tally_dso *dso);
void tally_dso_lines_save(struct tally_dso *dso);

/* Free the lines, after saving new ones. NULL is allowed. */
void tally_dso_lines_free(struct tally_dso *dso);

#endif
