/* SPDX-License-Identifier: BSD-2-Clause */
/* Missing information about JIT code, and the options to provide it. */
#ifndef TALLY_VIEW_HEALTH_JIT_H
#define TALLY_VIEW_HEALTH_JIT_H

#include "base/str.h"
#include "profile/profile_model.h"
#include "session/session.h"

/* Append comment lines. For each jitdump in which addresses were reused at unknown times, explain
 * that samples may be attributed to the wrong code. For each runtime with unnamed code, print the
 * option that provides the names; also for an interpreter with a tenth of the samples, which hides
 * the functions of its programs. */
void tally_health_jit_text(const struct tally_session *session, const struct tally_profile *profile,
			   struct tally_str *out);

/* Add the same data to the open JSON object, as the member "jit". It contains "guessed", the number
 * of uncertain lookups in jitdumps, and "runtimes", with names and options. */
void tally_health_jit_json(const struct tally_session *session, const struct tally_profile *profile,
			   struct tally_str *out);

#endif
