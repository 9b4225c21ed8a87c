/* SPDX-License-Identifier: BSD-2-Clause */
/* A pass over a written file that counts its samples and passes the build IDs of the files they hit
 * to the writer. */
#ifndef TALLY_CLI_RECORD_HITS_H
#define TALLY_CLI_RECORD_HITS_H

#include "cli/record/record.h"

struct record_hits {
	uint64_t samples;
	uint64_t first_ns, last_ns; /* of samples with a timestamp */
};

/* Read the file just written. Fills `*ret_hits`, and passes the build IDs to the writer unless
 * --no-buildid was given. Returns 0, the error of reading the file, or -ENOMEM. */
int record_hits(struct record *record, struct record_hits *ret_hits);

#endif
