/* SPDX-License-Identifier: BSD-2-Clause */
/* Open recordings on behalf of a command: with its defaults, privileges, messages and progress. */
#ifndef TALLY_CLI_MAIN_RECORDINGS_H
#define TALLY_CLI_MAIN_RECORDINGS_H

#include <stdbool.h>

#include "base/str.h"
#include "session/session.h"

/* Options of a command that reads recordings. */
struct tally_recording_options {
	struct tally_session_options session;
	int kallsyms_fd;     /* borrowed; 0 to open /proc/kallsyms before dropping privileges */
	bool no_index;       /* do not use a symbol index */
	bool is_silent;      /* drop messages, because the recording is read again */
	bool goes_elsewhere; /* the result is written to a file, not to stdout */
};

/* Return `input`, or a default if `input` is NULL: "-", which is standard input, if that is a pipe,
 * otherwise perf.data. */
const char *tally_recording_input(const char *input);

/* Prepare the process for reading recordings, and complete the options in `recording->session`: the
 * input, messages, progress, the symbol index (if not set) and the descriptor of kallsyms, which
 * the caller closes with tally_recording_finish(). Drops privileges. `index_dir` receives a path
 * that must remain valid until the sessions are open. Returns 0, or -errno after printing an error.
 */
int tally_recording_prepare(struct tally_recording_options *recording, struct tally_str *index_dir);

/* Close the descriptor of kallsyms, after the sessions were closed. */
void tally_recording_finish(const struct tally_session_options *session);

/* Prepare, and open a session. Close it with tally_recording_close(). Returns 0, or -errno after
 * printing an error. */
int tally_recording_open(const struct tally_recording_options *recording,
			 struct tally_session *session);

/* Close the session. If its file was truncated while it was being read, forget that, because it was
 * reported already. */
void tally_recording_close(struct tally_session *session);

#endif
