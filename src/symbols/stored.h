/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Embedded symbols of a recording, which make it readable where the recorded files are missing:
 * docs/internals/embedded-symbols-format.md. They consist of the symbols of the addresses in the
 * recording, and the state of the objects that have none.
 *
 * If an object has embedded symbols, they are used and its files are not: they are from the time
 * of the recording, and give the same report everywhere. Other objects are searched for as usual.
 * Files that the user names (symfs, vmlinux, kallsyms) take precedence.
 *
 * Not supported: unwind rules. A dump of a stack cannot be unwound without the files.
 */
#ifndef TALLY_SYMBOLS_STORED_H
#define TALLY_SYMBOLS_STORED_H

#include "base/error.h"
#include "symbols/symbols_lines.h"
#include "symbols/symbols.h"

struct tally_stored_object;

/* Use the embedded symbols in a section of `len` bytes, which is borrowed until `symbols` is freed.
 * To be called before the first lookup. Returns 0; -EINVAL with the offset of the damage in `err`;
 * -ENOTSUP for a newer version; -ENOMEM. After an error none are used. */
int tally_symbols_set_stored(struct tally_symbols *symbols, const void *bytes, size_t len,
			     struct tally_error *err);

/* ---- for the loaders in this directory -------------------------------------- */

void tally_symbols_free_stored(struct tally_symbols *symbols);

/* Return the embedded object for a DSO, or NULL if it is missing or not to be used. */
const struct tally_stored_object *tally_dso_stored(struct tally_dso *dso);
enum tally_dso_state tally_stored_state_of(const struct tally_stored_object *object);

/* Return the symbol at `addr` of a DSO that has an embedded object, or NULL. */
const struct tally_symbol *tally_dso_find_stored(const struct tally_dso *dso, uint64_t addr);
/* Return true if an embedded symbol is only the start of a function. */
bool tally_stored_is_bound(const struct tally_stored_object *object,
			   const struct tally_symbol *symbol);

/* Embedded lines. If a DSO has any, no others are searched for. */
bool tally_stored_has_lines(const struct tally_stored_object *object);
bool tally_dso_has_stored_lines(struct tally_dso *dso);
size_t tally_dso_stored_lines(const struct tally_dso *dso, uint64_t addr,
			      const struct tally_line **ret_lines, struct tally_span *ret_span);

/* Return true if `addr` is recorded as not being a return address. */
bool tally_dso_is_stored_non_return(const struct tally_dso *dso, uint64_t addr);

#endif
