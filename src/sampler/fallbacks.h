/* SPDX-License-Identifier: BSD-2-Clause */
/* Warnings and names for events that could not be opened exactly as requested. Used for counting
 * and sampling. */
#ifndef TALLY_SAMPLER_FALLBACKS_H
#define TALLY_SAMPLER_FALLBACKS_H

#include "base/str.h"
#include "base/messages.h"

/* Print one warning for each kind in `fallbacks` (enum tally_fallback). `done` is the verb for
 * events that are restricted to user space: "counted", "recorded". */
void tally_fallbacks_warn(unsigned fallbacks, const char *done,
			  const struct tally_messages *messages);

/* Remove the lowest kind from `*fallbacks`, and return a short description of it for JSON output,
 * or NULL if no kind is left. */
const char *tally_fallbacks_next(unsigned *fallbacks);

/* Append the actual name of an event that was requested as `name`: "cycles:u", "cycles:uP",
 * "msr/tsc/u" or "1:0:u" if the kernel is excluded, or "cpu-clock" if it replaced cycles. */
void tally_fallbacks_name(const char *name, unsigned fallbacks, struct tally_str *out);

#endif
