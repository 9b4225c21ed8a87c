/* SPDX-License-Identifier: BSD-2-Clause */
/* How many of the unwound stacks are whole, and why the others are not. */
#ifndef TALLY_CLI_RECORDING_HEALTH_STACKS_H
#define TALLY_CLI_RECORDING_HEALTH_STACKS_H

#include "base/str.h"
#include "profile/unwind.h"

/* Comment lines: shares, the setting to change, and of up to `max_files` files which stacks ended
 * in them. Nothing where no stack was unwound. */
void tally_health_stacks_text(const struct tally_unwinder *unwinder, size_t max_files,
			      struct tally_str *out);

/* The same as a member "stacks" of the object that is open; all files. */
void tally_health_stacks_json(const struct tally_unwinder *unwinder, struct tally_str *out);

#endif
