/* SPDX-License-Identifier: BSD-2-Clause */
/* How many of the unwound stacks are complete, and why the others are not. */
#ifndef TALLY_CLI_RECORDING_HEALTH_STACKS_H
#define TALLY_CLI_RECORDING_HEALTH_STACKS_H

#include "base/str.h"
#include "profile/unwind.h"

/* Append comment lines: the shares, settings to change, and for up to `max_files` files the stacks
 * that ended in them. Appends nothing if no stack was unwound. */
void tally_health_stacks_text(const struct tally_unwinder *unwinder, size_t max_files,
			      struct tally_str *out);

/* Add the same data as member "stacks" to the open JSON object, with all files. */
void tally_health_stacks_json(const struct tally_unwinder *unwinder, struct tally_str *out);

#endif
