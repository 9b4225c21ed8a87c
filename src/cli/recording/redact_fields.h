/* SPDX-License-Identifier: BSD-2-Clause */
/* Clear the bytes of copied records and features that belong to no field. */
#ifndef TALLY_CLI_RECORDING_REDACT_FIELDS_H
#define TALLY_CLI_RECORDING_REDACT_FIELDS_H

#include "tally/perfdata.h"

/* Zero the padding after strings and fields in `copy`, the bytes of a record other than a SAMPLE.
 * Returns 0, or -EOPNOTSUPP with a reason if there is more than padding or the end of the fields is
 * unknown. */
int tally_redact_fields(const struct tally_perfdata_record *record, uint8_t *copy,
			struct tally_error *err);

/* The same for a feature in host byte order; `copy` has `len` bytes. Bytes after the content must
 * be cut off: `*ret_len` is the length to keep. `nr_cpus` is the value from NRCPUS, which the size
 * of some features depends on. Returns 0, or -EOPNOTSUPP if the feature cannot be parsed. */
int tally_redact_feature(uint32_t id, uint32_t nr_cpus, uint8_t *copy, uint64_t len,
			 uint64_t *ret_len);

#endif
