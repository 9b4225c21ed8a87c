/* SPDX-License-Identifier: BSD-2-Clause */
/* An object's unwind rules. */
#ifndef TALLY_SYMBOLS_LOAD_RULES_H
#define TALLY_SYMBOLS_LOAD_RULES_H

#include <stdbool.h>

#include "symbols/dso_state.h"

struct tally_dso;
struct tally_unwind_table;

/* Return the DSO's unwind rules, for addresses in the form that tally_dso_find() takes. They are
 * compiled on the first call, and live until `symbols` is freed. If there are no rules, the result
 * is NULL and tally_dso_rules_state() returns the reason: NO_SYMBOLS if the file has no rules,
 * otherwise the same states as for symbols. */
const struct tally_unwind_table *tally_dso_rules(struct tally_dso *dso);
enum tally_dso_state tally_dso_rules_state(const struct tally_dso *dso);

/* Return a table for tally_unwind_table_function() and tally_unwind_table_function_end() only, or
 * NULL. It is made from the same files as the rules, but much faster. Functions
 * with rules that cannot be compiled are included. */
const struct tally_unwind_table *tally_dso_functions(struct tally_dso *dso);

/* Move the rules that were loaded for the clone to `dso`, unless it already has rules. */
void tally_dso_move_rules(struct tally_dso *dso, struct tally_dso *twin);

/* Return true if frame pointers may be used to find callers where the DSO has no rule. This is the
 * case if it has rules elsewhere, or if its functions set up frame pointers. Only valid after
 * tally_dso_rules(). */
bool tally_dso_has_frame_pointers(const struct tally_dso *dso);

#endif
