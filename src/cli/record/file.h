/* SPDX-License-Identifier: BSD-2-Clause */
/* The file at `output->path`. */
#ifndef TALLY_CLI_RECORD_FILE_H
#define TALLY_CLI_RECORD_FILE_H

#include "cli/record/record.h"

/* Open it, empty and locked, and keep what was there as FILE.old. 0 or -errno, which was told:
 * -EBUSY while another recorder writes it. */
int record_file_open(struct record_output *output);

/* Remove it, and put back what was there. If somebody moved or replaced it in the meantime,
 * nothing is touched. */
void record_file_discard(struct record_output *output);

/* Give the finished file its own name, the last of `output->names`; of more than `most` (0: any
 * number) the oldest goes. 0; -ESTALE if it is no longer at its path; -errno, which was told. */
int record_file_stamp(struct record_output *output, uint64_t most);

/* What it is called now; the caller frees it. NULL when out of memory. That somebody else renamed
 * it is told. */
char *record_file_name(const struct record_output *output);

#endif
