/* SPDX-License-Identifier: BSD-2-Clause */
/* Sort keys that are fields of the recording's tracepoints. See find_field in struct
 * tally_row_options. */
#ifndef TALLY_CLI_REPORT_FIELDS_H
#define TALLY_CLI_REPORT_FIELDS_H

#include "cli/main/row_options.h"
#include "session/session_tracing.h"

/* Find the fields for a word; `session` is a struct tally_session. */
int report_field_find(void *session, struct tally_row_options *options, const char *word,
		      size_t len);

/* Before the recording is open: any word may be the name of a field. */
int report_field_any(void *arg, struct tally_row_options *options, const char *word, size_t len);

#endif
