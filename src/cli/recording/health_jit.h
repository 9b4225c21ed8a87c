/* SPDX-License-Identifier: BSD-2-Clause */
/* What is not known of code that programs made while they ran, and what would have told it. */
#ifndef TALLY_CLI_RECORDING_HEALTH_JIT_H
#define TALLY_CLI_RECORDING_HEALTH_JIT_H

#include "base/str.h"
#include "cli/recording/session.h"

/* Comment lines: for each dump where samples may be in code that was somewhere else at their time,
 * why; for each runtime whose code has no names, the option that would give them. */
void tally_health_jit_text(const struct tally_session *session, struct tally_str *out);

/* The same as a member "jit" of the object that is open: "guessed", look-ups in dumps, and
 * "runtimes", each with its name and the option. */
void tally_health_jit_json(const struct tally_session *session, struct tally_str *out);

#endif
