/* SPDX-License-Identifier: BSD-2-Clause */
/* Byte-swap whole records of any type. */
#ifndef TALLY_PERFDATA_SWAP_H
#define TALLY_PERFDATA_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/abi_sample.h"
#include "base/error.h"

/* Swap the body of `record`, `len` bytes, in place. `layout` belongs to the event of the record and
 * may be NULL for user-space records. The header is in host byte order before and after.
 * HEADER_FEATURE contents and compressed bytes are left unchanged. Returns 0, or -EINVAL if sizes
 * inside the record do not fit; the body may be partly swapped then. */
int tally_perfdata_swap_body(const struct tally_sample_layout *layout, void *record, size_t len,
			     bool from_host, struct tally_error *err);

#endif
