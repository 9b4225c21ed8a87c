/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples and sample_id trailers as JSON, based on the table of sample fields. */
#ifndef TALLY_CLI_SCRIPT_DUMP_SAMPLE_H
#define TALLY_CLI_SCRIPT_DUMP_SAMPLE_H

#include "abi/abi_sample.h"
#include "base/str.h"
#include "tally/perfdata.h"

/* Append the sample's fields. Return false, after appending "damaged": true, if the sample cannot
 * be decoded. */
bool tally_dump_sample(struct tally_str *out, const struct tally_perfdata_record *record);
void tally_dump_sample_info(struct tally_str *out, const struct tally_perfdata_record *record);
void tally_dump_read(struct tally_str *out, const struct tally_read *read);

#endif
