/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that are mapped while it is recorded, opened when that is seen. A file that is replaced
 * or removed afterwards keeps its build-id, its unwind rules and its symbols that way, as long as
 * the pins are there. Only so many are open at a time: the one that was mapped least recently makes
 * room for another, and only its build-id is left. Several threads may use them.
 *
 * It does not: keep what a file contains apart from the file. If it is overwritten in place, what
 * was pinned is refused.
 */
#ifndef TALLY_SYMBOLS_PINS_H
#define TALLY_SYMBOLS_PINS_H

#include "symbols/symbols.h"

struct tally_image;
struct tally_build_id;
struct tally_pins;

/* 0 or -ENOMEM. */
int tally_pins_new(struct tally_pins **ret_pins);

/* NULL is allowed. Nobody may have them in his options any more. */
void tally_pins_free(struct tally_pins *pins);

/* Open the file of a key, which was mapped just now, unless it is open. What cannot be opened is
 * not pinned, nor is what is packed: it is not unpacked. 0 or -ENOMEM. */
int tally_pins_add(struct tally_pins *pins, const struct tally_dso_key *key);

/* For the loaders: the file that was pinned for a DSO with the same key. 0; -EAGAIN if there is
 * none; TALLY_DSO_ERROR_REPLACED or -ESTALE if it was overwritten; or an error of
 * tally_image_open(). */
int tally_pins_open(struct tally_pins *pins, const struct tally_dso *dso,
		    struct tally_image *ret_image);

/* The build-id that it had when it was pinned. 0, or -ENOENT if that is not known. */
int tally_pins_build_id(struct tally_pins *pins, const struct tally_dso *dso,
			struct tally_build_id *ret_id);

/* Have the symbols and unwind rules of a DSO, whose options have pins and a directory of indexes,
 * put into its index, if it has a build-id, belongs to root or to the user that we run as, and its
 * path does not lead to it any more. Then they are found by the build-id (docs/index-format.md).
 * What fails is not missed. */
void tally_dso_keep(struct tally_dso *dso);

#endif
