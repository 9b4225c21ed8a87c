/* SPDX-License-Identifier: BSD-2-Clause */
/* A DSO's source lines, for use only in this directory. */
#ifndef TALLY_SYMBOLS_LINES_DSO_LINES_H
#define TALLY_SYMBOLS_LINES_DSO_LINES_H

#include "base/arena.h"
#include "dwarf/worker.h"
#include "symbols/cache/index_lines.h"
#include "symbols/lines/debug_info.h"

struct tally_dso_lines {
	struct tally_lines known; /* keyed by address in the debug information */
	bool is_found;            /* the debug information has been searched for */
	bool is_new;              /* has lines that are not in the index */
	/* Lines of earlier runs, copied to `known` when needed; and lines that have only the names
	 * of inlined functions, if that is sufficient. */
	struct tally_index_lines indexed, inlined_only;
	enum tally_dso_state state;
	struct tally_debug_info info;
	struct tally_dwarf_worker worker;
	bool has_worker;                  /* worker has been started and not yet stopped */
	uint64_t nr_given_up, nr_missing; /* totals of stopped workers; see worker.h */
	/* Inlined functions: `names` assigns an ID to each name, `symbols` holds the symbol for
	 * each ID, and `inlined` maps symbol pointers to IDs. */
	struct tally_intern names;
	TALLY_VEC(const struct tally_symbol *) symbols;
	struct tally_map inlined;
	struct tally_arena arena; /* storage for the symbols */
};

/* Open the lines in the index. */
void tally_dso_lines_open(struct tally_dso *dso);

/* Return the lines of an address in the debug information, or NULL if they are neither known nor in
 * the index. Valid until the next call. */
const struct tally_line_span *tally_dso_lines_known(struct tally_dso_lines *lines, uint64_t addr);

/* Write newly found lines to the index. Failures are ignored. */
void tally_dso_lines_save(struct tally_dso *dso);

/* Return the DSO's debug information, which is searched for once, or NULL if there is none. Lines
 * embedded in the recording are not used. */
const struct tally_debug_info *tally_dso_debug_info(struct tally_dso *dso);

/* Return the limits of a worker for a DSO. The time limit for all files together is higher than the
 * limit for a single file. */
struct tally_dwarf_limits tally_dso_worker_limits(const struct tally_dso *dso);

/* Free the lines, after saving new ones. NULL is allowed. */
void tally_dso_lines_free(struct tally_dso *dso);

#endif
