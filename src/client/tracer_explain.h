/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to client/: explanations of tracefs errors, with fixes. */
#ifndef TALLY_CLIENT_TRACER_EXPLAIN_H
#define TALLY_CLIENT_TRACER_EXPLAIN_H

#include "tally/client.h"

/* Each function fills `why` and returns its code. */

/* tracefs is not mounted, or not part of this kernel. */
int tally_tracer_explain_absent(struct tally_refusal *why);

/* Access to `file` (an absolute path) failed with `code`, possibly because of its new value.
 * `writing`: read access is not enough. */
int tally_tracer_explain_error(struct tally_refusal *why, int code, const char *root,
			       const char *file, const char *value, bool writing);

/* The kernel does not have this tracer; `available` lists those it has. */
int tally_tracer_explain_missing(struct tally_refusal *why, const char *name,
				 const char *available);

/* Others are tracing with shared settings; `found` describes them. */
int tally_tracer_explain_busy(struct tally_refusal *why, const char *found);

#endif
