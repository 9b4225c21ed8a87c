/* SPDX-License-Identifier: BSD-2-Clause */
/* Turning a whole record of any type from one byte order into the other. */
#ifndef TALLY_PERFDATA_SWAP_H
#define TALLY_PERFDATA_SWAP_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/sample.h"
#include "base/error.h"

/* Swap the body of `record` (`len` bytes) in place; `layout` is of its event and may be NULL
 * for records of user space. The header is in host order before and after.
 * HEADER_FEATURE contents and compressed bytes stay as they are.
 * 0, or -EINVAL when inner sizes do not fit: the body may be half swapped then. */
int tally_perfdata_swap_body(const struct tally_sample_layout *layout, void *record, size_t len,
			     bool from_host, struct tally_error *err);

#endif
