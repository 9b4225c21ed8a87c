/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbols embedded in a recording, so that reports do not need the recorded files: the symbols at
 * the recorded addresses, and the states of objects without symbols.
 * docs/internals/embedded-symbols-format.md describes the format.
 *
 * If an object has embedded symbols, its files are not used. Embedded symbols are from the time of
 * the recording, so reports are the same on every machine. Files of other objects are searched for
 * as usual. Files that the user names (symfs, vmlinux, kallsyms) take precedence.
 *
 * Not supported: unwind rules. Stack dumps cannot be unwound without the files.
 */
#ifndef TALLY_SYMBOLS_EMBEDDED_STORED_H
#define TALLY_SYMBOLS_EMBEDDED_STORED_H

#include "base/error.h"
#include "symbols/lines/symbols_lines.h"
#include "symbols/symbols.h"

struct tally_stored_object;

/* Use the embedded symbols in a section of `len` bytes, which is borrowed until `symbols` is freed.
 * Must be called before the first lookup. Returns 0; -EINVAL with the offset of the damage in
 * `err`; -ENOTSUP for a newer version; or -ENOMEM. After an error, no embedded symbols are used. */
int tally_symbols_set_stored(struct tally_symbols *symbols, const void *bytes, size_t len,
			     struct tally_error *err);

/* ---- for the loaders in this directory -------------------------------------- */

void tally_symbols_free_stored(struct tally_symbols *symbols);

/* Return the embedded object for a DSO, or NULL if it does not exist or must not be used. */
const struct tally_stored_object *tally_dso_stored(struct tally_dso *dso);
enum tally_dso_state tally_stored_state_of(const struct tally_stored_object *object);

/* Return the symbol at `addr` in a DSO that has an embedded object, or NULL. */
const struct tally_symbol *tally_dso_find_stored(const struct tally_dso *dso, uint64_t addr);
/* Return true if an embedded symbol is a bound: an unnamed function with a known start and an
 * unknown end. */
bool tally_stored_is_bound(const struct tally_stored_object *object,
			   const struct tally_symbol *symbol);

/* Embedded lines. If a DSO has any, no other lines are searched for. */
bool tally_stored_has_lines(const struct tally_stored_object *object);
bool tally_dso_has_stored_lines(struct tally_dso *dso);
size_t tally_dso_stored_lines(const struct tally_dso *dso, uint64_t addr,
			      const struct tally_line **ret_lines, struct tally_span *ret_span);

/* Return true if the recording marks `addr` as not being a return address. */
bool tally_dso_is_stored_non_return(const struct tally_dso *dso, uint64_t addr);

#endif
