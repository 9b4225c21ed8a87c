/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples and sample_ids as JSON, by the table of sample fields. */
#ifndef TALLY_CLI_SCRIPT_DUMP_SAMPLE_H
#define TALLY_CLI_SCRIPT_DUMP_SAMPLE_H

#include "abi/sample.h"
#include "base/str.h"
#include "tally/perfdata.h"

/* False, with "damaged": true, when nothing can be read of it. */
bool tally_dump_sample(struct tally_str *out, const struct tally_perfdata_record *record);
void tally_dump_sample_info(struct tally_str *out, const struct tally_perfdata_record *record);
void tally_dump_read(struct tally_str *out, const struct tally_read *read);

#endif
