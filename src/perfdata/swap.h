/* SPDX-License-Identifier: BSD-2-Clause */
/* Byte-swaps whole records of any type. */
#ifndef TALLY_PERFDATA_SWAP_H
#define TALLY_PERFDATA_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/abi_sample.h"
#include "base/error.h"

/* Byte-swap the body of `record`, which is `len` bytes long, in place. `layout` belongs to the
 * record's event and may be NULL for user-space records. The header is in host byte order before
 * and after the call. HEADER_FEATURE contents and compressed bytes are left unchanged. Returns 0,
 * or -EINVAL if sizes inside the record are inconsistent; the body may then be partly swapped. */
int tally_perfdata_swap_body(const struct tally_sample_layout *layout, void *record, size_t len,
			     bool from_host, struct tally_error *err);

#endif
