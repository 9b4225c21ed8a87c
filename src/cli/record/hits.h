/* SPDX-License-Identifier: BSD-2-Clause */
/* One pass over a written file: samples counted, build ids of the files that they fell in handed to
 * the writer. */
#ifndef TALLY_CLI_RECORD_HITS_H
#define TALLY_CLI_RECORD_HITS_H

#include "cli/record/record.h"

struct record_hits {
	uint64_t samples;
	uint64_t first_ns, last_ns; /* of samples with a time */
};

/* Read the file that was just written: the number of its samples, the first and last time, and,
 * without --no-buildid, the build ids, for the writer. 0; the error of reading it; -ENOMEM. */
int record_hits(struct record *record, struct record_hits *ret_hits);

#endif
