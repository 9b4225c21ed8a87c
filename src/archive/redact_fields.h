/* SPDX-License-Identifier: BSD-2-Clause */
/* In copies of records and features, clear the bytes that do not belong to any field. */
#ifndef TALLY_ARCHIVE_REDACT_FIELDS_H
#define TALLY_ARCHIVE_REDACT_FIELDS_H

#include "tally/perfdata.h"

/* Zero the padding after strings and fields in `copy`, which holds a record other than a SAMPLE.
 * Returns 0, or -EOPNOTSUPP, with the reason in `err`, if there are unknown bytes or the end of the
 * fields is unknown. */
int tally_redact_fields(const struct tally_perfdata_record *record, uint8_t *copy,
			struct tally_error *err);

/* Do the same for a feature in host byte order; `copy` has `len` bytes. `*ret_len` is set to the
 * content's length; the caller must truncate the copy to this length. `nr_cpus` is the value from
 * NRCPUS, which determines the size of some features. Returns 0, or -EOPNOTSUPP if the feature
 * cannot be parsed. */
int tally_redact_feature(uint32_t id, uint32_t nr_cpus, uint8_t *copy, uint64_t len,
			 uint64_t *ret_len);

#endif
