/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * IDs made from what they identify, so that a stack or frame has the same ID in all data sets,
 * whichever machine and version of this program wrote them. The function must therefore never
 * change: it is SipHash-2-4 with a key of zero, without its highest bit, because some engines have
 * no unsigned integers.
 *
 * Two of N different things have the same ID with a probability of about N^2 / 2^64: one in two
 * million for three million stacks. Whoever makes recordings can make equal IDs on purpose.
 */
#ifndef TALLY_DATASET_CONTENT_ID_H
#define TALLY_DATASET_CONTENT_ID_H

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
