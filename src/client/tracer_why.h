/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to client/: why tracefs refused, and what would help. */
#ifndef TALLY_CLIENT_TRACER_WHY_H
#define TALLY_CLIENT_TRACER_WHY_H

#include "tally/client.h"

/* Each fills `why` and gives its code back. */

/* tracefs is mounted nowhere. */
int tally_tracer_why_absent(struct tally_refusal *why);

/* `file` (an absolute path) was refused with `code`, maybe the value it was to have. `writing`:
 * reading is not enough. */
int tally_tracer_why_not(struct tally_refusal *why, int code, const char *root, const char *file,
			 const char *value, bool writing);

/* The kernel has not got this tracer; `available` is what it has. */
int tally_tracer_why_missing(struct tally_refusal *why, const char *name, const char *available);

/* Somebody else traces; `found` says who. */
int tally_tracer_why_busy(struct tally_refusal *why, const char *found);

#endif
