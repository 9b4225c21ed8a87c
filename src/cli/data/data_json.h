/* SPDX-License-Identifier: BSD-2-Clause */
/* A recording's header and samples as JSON, in the layout of `perf data convert --to-json`. */
#ifndef TALLY_CLI_DATA_JSON_H
#define TALLY_CLI_DATA_JSON_H

#include <stdint.h>

#include "cli/main/document.h"
#include "session/session.h"

/* Read the session's recording to its end, and write it to `document`. Returns 0, or -errno; the
 * session has printed its own errors, and tally_document_close() prints those of the document. The
 * session's errors are returned as -ENODATA. */
int data_json_write(struct tally_session *session, struct tally_document *document,
		    uint64_t *ret_samples);

#endif
