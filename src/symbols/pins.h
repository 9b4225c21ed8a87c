/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pins are files that are opened when their mapping is recorded. If a file is replaced or removed
 * afterwards, its build-id, unwind rules and symbols remain available while the pins exist. The
 * number of open files is limited: to open another, the least recently mapped file is closed and
 * only its build-id is kept. Thread-safe.
 *
 * The contents are not copied, so a pinned file that is overwritten in place is rejected.
 */
#ifndef TALLY_SYMBOLS_PINS_H
#define TALLY_SYMBOLS_PINS_H

#include "symbols/symbols.h"

struct tally_pins;

/* Create an empty set of pins. Returns 0 or -ENOMEM. */
int tally_pins_new(struct tally_pins **ret_pins);

/* Free the pins. No options may refer to them any longer. NULL is allowed. */
void tally_pins_free(struct tally_pins *pins);

/* Open the file that `key` identifies and that was just mapped, unless it is already open.
 * Compressed files, and files that cannot be opened, are not pinned. Returns 0 or -ENOMEM. */
int tally_pins_add(struct tally_pins *pins, const struct tally_dso_key *key);

/* Write the symbols and unwind rules of a DSO to its index, so that they can be found later by
 * build-id (docs/internals/index-format.md). This is only done if the pinned file has a build-id,
 * belongs to root or the effective user, and is no longer at its path. The DSO's options must have
 * pins and an index directory. Failures are ignored. */
void tally_dso_index_pinned(struct tally_dso *dso);

#endif
