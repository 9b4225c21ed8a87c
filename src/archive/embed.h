/* SPDX-License-Identifier: BSD-2-Clause */
/* Embed symbols in a recording, so that it can be read where its files are missing. */
#ifndef TALLY_ARCHIVE_EMBED_H
#define TALLY_ARCHIVE_EMBED_H

#include "archive/redact.h"
#include "session/session.h"

/* Read the recording to its end, resolve all its addresses, and append the embedded-symbols section
 * (symbols/embedded/stored.h) to `out`. The session must be opened with symbols.bounds. `redactor`
 * replaces paths and names, and may be NULL. Returns 0, -ENOMEM, or another -errno after emitting
 * an error message. */
int tally_archive_embed(struct tally_session *session, struct tally_redactor *redactor,
			struct tally_str *out);

/* Copy the recording at session->options.fd to the empty file `to`, with `names` from
 * tally_archive_embed(), and redacted if `redactor` is not NULL. `between` is called as in
 * tally_perfdata_copy(). Returns 0; -EOPNOTSUPP, with the reason in `err`, if the recording
 * contains data that cannot be redacted; -EINVAL, also if the recording was truncated; a write
 * error; the value returned by `between`; or -ENOMEM. */
int tally_archive_copy(struct tally_session *session, struct tally_redactor *redactor,
		       const struct tally_str *names, int to, int (*between)(void *arg), void *arg,
		       struct tally_error *err);

#endif
