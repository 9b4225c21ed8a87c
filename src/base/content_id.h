/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IDs of recordings, stacks and frames, which are hashes of their contents. A stack has the same ID
 * in all data sets, on all machines. The hash function must therefore never change: it is
 * SipHash-2-4 with a key of zero, without its highest bit, because some query engines have no
 * unsigned integers.
 *
 * Two of N different stacks have the same ID with a probability of about N^2 / 2^64: one in two
 * million for three million stacks. The author of a recording can make equal IDs on purpose.
 */
#ifndef TALLY_BASE_CONTENT_ID_H
#define TALLY_BASE_CONTENT_ID_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Return the ID of `len` bytes. */
uint64_t tally_content_id(const void *bytes, size_t len);

/* Append a number (lowest byte first) or a string (preceded by its length) to bytes of which an ID
 * is made. */
void tally_content_add(struct tally_str *bytes, uint64_t value);
void tally_content_add_text(struct tally_str *bytes, const char *text); /* NULL: no text */

#endif
