/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that came with a recording, so that it can be read where the files are not that it was made
 * with: docs/stored-names-format.md. They have the symbols of the addresses that the recording
 * holds, and what became of the objects where there are none.
 *
 * An object whose names are stored uses them, and no files: they are what was there at that moment,
 * and make the same report everywhere. If none are stored of it, it is looked for as ever. Files
 * that the user names (symfs, vmlinux, kallsyms) come first.
 *
 * It does not: store unwind rules. A dump of a stack cannot be unwound without the files.
 */
#ifndef TALLY_SYMBOLS_STORED_H
#define TALLY_SYMBOLS_STORED_H

#include "base/error.h"
#include "symbols/lines.h"
#include "symbols/symbols.h"

struct tally_stored_object;

/* Take the names of a section of `len` bytes, which are borrowed until `symbols` are freed, before
 * the first look-up. 0; -EINVAL with the place where they are broken, -ENOTSUP if they are of a
 * newer version, or -ENOMEM: none are used then. */
int tally_symbols_set_stored(struct tally_symbols *symbols, const void *bytes, size_t len,
			     struct tally_error *err);

/* ---- for the loaders of this room ------------------------------------------- */

void tally_symbols_free_stored(struct tally_symbols *symbols);

/* What is stored of a DSO, and is to be used; NULL for nothing. */
const struct tally_stored_object *tally_dso_stored(struct tally_dso *dso);
enum tally_dso_state tally_stored_state_of(const struct tally_stored_object *object);

/* The symbol at `addr` of a DSO of which something is stored, or NULL. */
const struct tally_symbol *tally_dso_find_stored(const struct tally_dso *dso, uint64_t addr);
bool tally_stored_is_bound(const struct tally_stored_object *object,
			   const struct tally_symbol *symbol);

/* The same for lines: if any are stored of the DSO no others are looked for. */
bool tally_stored_has_lines(const struct tally_stored_object *object);
bool tally_dso_has_stored_lines(struct tally_dso *dso);
size_t tally_dso_stored_lines(const struct tally_dso *dso, uint64_t addr,
			      const struct tally_line **ret_lines, struct tally_span *ret_span);

/* Whether it was found that no return leads to `addr`. */
bool tally_dso_is_stored_astray(const struct tally_dso *dso, uint64_t addr);

#endif
