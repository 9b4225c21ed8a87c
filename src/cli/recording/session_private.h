/* SPDX-License-Identifier: BSD-2-Clause */
/* Between the files of the session alone. */
#ifndef TALLY_CLI_RECORDING_SESSION_PRIVATE_H
#define TALLY_CLI_RECORDING_SESSION_PRIVATE_H

#include "cli/recording/session.h"

/* Tell the symbols where the recording is from, by its header; of a stream, once it was read as far
 * as the first sample. 0 or -ENOMEM. */
int session_find_origin(struct tally_session *session);

#endif
