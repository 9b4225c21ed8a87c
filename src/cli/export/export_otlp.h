/* SPDX-License-Identifier: BSD-2-Clause */
/* Export each recording as a file with OpenTelemetry profiles: DIR/date=DAY/host=NAME/ID.otlp. */
#ifndef TALLY_CLI_EXPORT_OTLP_H
#define TALLY_CLI_EXPORT_OTLP_H

#include "cli/export/export_files.h"

/* An all-zero structure, except for the borrowed pointers, has no recordings. */
struct export_otlp {
	const struct tally_dataset_options *options; /* host, labels, no_inline */
	struct export_files *files;                  /* directory, and bytes written so far */
	struct tally_map recordings;                 /* IDs */
};

/* Read a recording to its end, and write its file. If it is damaged, the samples before the damage
 * are written. Returns 0; -EINVAL for a damaged recording; -EEXIST if it was added before; or
 * another error. Errors are printed, except -EEXIST, -ENOMEM and -EINTR. */
int export_otlp_add(struct export_otlp *otlp, struct tally_session *session,
		    struct tally_dataset_counts *ret_counts);

void export_otlp_free(struct export_otlp *otlp);

#endif
