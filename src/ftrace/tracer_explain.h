/* SPDX-License-Identifier: BSD-2-Clause */
/* Explanations of tracefs errors, with fixes; private to ftrace/. */
#ifndef TALLY_FTRACE_TRACER_EXPLAIN_H
#define TALLY_FTRACE_TRACER_EXPLAIN_H

#include "tally/client.h"

/* Each function fills in `why` and returns the error code. */

/* Explain that tracefs is not mounted or not supported by this kernel. */
int tally_tracer_explain_absent(struct tally_refusal *why);

/* Explain why access to `file` (an absolute path) failed with `code`, possibly because `value` was
 * rejected. `writing` is set if write access was needed. */
int tally_tracer_explain_error(struct tally_refusal *why, int code, const char *root,
			       const char *file, const char *value, bool writing);

/* Explain that the kernel does not have this tracer. `available` lists the kernel's tracers. */
int tally_tracer_explain_missing(struct tally_refusal *why, const char *name,
				 const char *available);

/* Explain that other users are tracing with shared settings, as described in `found`. */
int tally_tracer_explain_busy(struct tally_refusal *why, const char *found);

#endif
