/* SPDX-License-Identifier: BSD-2-Clause */
/* Missing information about JIT code, and the options that would provide it. */
#ifndef TALLY_CLI_RECORDING_HEALTH_JIT_H
#define TALLY_CLI_RECORDING_HEALTH_JIT_H

#include "base/str.h"
#include "cli/recording/session.h"

/* Append comment lines: for each jitdump in which addresses were reused at unknown times, so that
 * samples may be attributed to the wrong code, the reason; for each runtime whose code has no
 * names, the option that provides them. */
void tally_health_jit_text(const struct tally_session *session, struct tally_str *out);

/* Add the same data as member "jit" to the open JSON object: "guessed", the number of uncertain
 * look-ups in jitdumps, and "runtimes", with name and option. */
void tally_health_jit_json(const struct tally_session *session, struct tally_str *out);

#endif
