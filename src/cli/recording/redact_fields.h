/* SPDX-License-Identifier: BSD-2-Clause */
/* What hides in records and features that are copied: bytes that no field has. */
#ifndef TALLY_CLI_RECORDING_REDACT_FIELDS_H
#define TALLY_CLI_RECORDING_REDACT_FIELDS_H

#include "tally/perfdata.h"

/* Zero in `copy`, which has the bytes of a record other than a SAMPLE, what is behind its texts and
 * fields: padding. 0; -EOPNOTSUPP with the reason if there is more than padding, or if where the
 * fields end is not known. */
int tally_redact_fields(const struct tally_perfdata_record *record, uint8_t *copy,
			struct tally_error *err);

/* The same of a feature of this machine's byte order, of which `copy` has `len` bytes. What is
 * behind its content is to be cut: `*ret_len` bytes stay. `nr_cpus` are those of NRCPUS, which some
 * go by. -EOPNOTSUPP if it cannot be read. */
int tally_redact_feature(uint32_t id, uint32_t nr_cpus, uint8_t *copy, uint64_t len,
			 uint64_t *ret_len);

#endif
