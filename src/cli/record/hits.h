/* SPDX-License-Identifier: BSD-2-Clause */
/* Second pass over a finished recording, which counts the samples and passes the build IDs of the
 * files they hit to the writer. */
#ifndef TALLY_CLI_RECORD_HITS_H
#define TALLY_CLI_RECORD_HITS_H

#include "cli/record/record.h"

struct record_hits {
	uint64_t samples;
	uint64_t first_ns, last_ns; /* first and last timestamp among the samples */
};

/* Read back the finished recording. Fills `*ret_hits`, and passes the build IDs to the writer
 * unless --no-buildid was given. Returns 0, a read error, or -ENOMEM. */
int record_hits(struct record *record, struct record_hits *ret_hits);

#endif
