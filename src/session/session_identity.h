/* SPDX-License-Identifier: BSD-2-Clause */
/* Identity of a recording among those of other hosts and days, and the day and time of its samples.
 */
#ifndef TALLY_SESSION_IDENTITY_H
#define TALLY_SESSION_IDENTITY_H

#include "session/session.h"

/* Conversion from recorded times to times since 1970. */
struct tally_session_clock {
	uint64_t offset;    /* time since 1970 minus recorded time, modulo 2^64, in ns */
	const char *source; /* "recorded" or "estimated"; NULL if the offset is unknown */
};

enum { TALLY_DATE_SIZE = 32 };

struct tally_session_identity {
	const char *host; /* not empty; valid as long as the session and the caller's name */
	uint64_t id;
	struct tally_session_clock clock;
	char date[TALLY_DATE_SIZE]; /* day of the first sample, or else of the file: "2026-11-29" */
};

/* Find the recording's clock. If it was not recorded, assume that the file was written at the time
 * of the last sample. `first` is the recorded time of the first sample, or 0 if there is none. */
struct tally_session_clock tally_session_clock(const struct tally_session *session,
					       const struct tally_perfdata_env *env,
					       uint64_t first);

/* Set the recording's identity. `host` replaces the recorded name of the host unless it is NULL.
 * `first` is the first sample, or NULL if there is none. The ID is made of the recording's
 * beginning, not of the whole file, which need not be a regular file. It is the same each time.
 * Returns 0 or -ENOMEM. */
int tally_session_identify(const struct tally_session *session, const char *host,
			   const struct tally_feed_sample *first,
			   struct tally_session_identity *ret_identity);

#endif
