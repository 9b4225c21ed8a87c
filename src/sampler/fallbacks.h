/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that were opened with less than was asked for: how that is told, and what they are called
 * then, the same for counting and sampling. */
#ifndef TALLY_SAMPLER_FALLBACKS_H
#define TALLY_SAMPLER_FALLBACKS_H

#include "base/str.h"
#include "sampler/messages.h"

/* Warn of each kind in `fallbacks` (enum tally_fallback) once. `done` is what happens to user space
 * where it is all that is left: "counted", "recorded". */
void tally_fallbacks_warn(unsigned fallbacks, const char *done,
			  const struct tally_messages *messages);

/* Some words for programs about the lowest kind in `*fallbacks`, which is taken out; NULL: none was
 * left. */
const char *tally_fallbacks_next(unsigned *fallbacks);

/* Append the name of an event that was asked for as `name`: "cycles:u", "cycles:uP", "msr/tsc/u"
 * or "1:0:u" where the kernel's part is gone, "cpu-clock" where cycles became that. */
void tally_fallbacks_name(const char *name, unsigned fallbacks, struct tally_str *out);

#endif
