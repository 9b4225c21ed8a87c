/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics about unwound stacks: how many are complete, and why the others are not. */
#ifndef TALLY_VIEW_HEALTH_STACKS_H
#define TALLY_VIEW_HEALTH_STACKS_H

#include "base/str.h"
#include "profile/process/unwind.h"

/* Append comment lines: the percentages, recommended settings and, for up to `max_files` files, the
 * stacks that ended in each file. Appends nothing if no stack was unwound. */
void tally_health_stacks_text(const struct tally_unwinder *unwinder, size_t max_files,
			      struct tally_str *out);

/* Add the same data, with all files, to the open JSON object, as the member "stacks". */
void tally_health_stacks_json(const struct tally_unwinder *unwinder, struct tally_str *out);

#endif
