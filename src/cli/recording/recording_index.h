/* SPDX-License-Identifier: BSD-2-Clause */
/* Location and size limit of the symbol index, from options and environment. */
#ifndef TALLY_CLI_RECORDING_INDEX_H
#define TALLY_CLI_RECORDING_INDEX_H

#include <stdbool.h>

#include "base/str.h"
#include "symbols/symbols.h"

/* Set the index options from TALLY_INDEX: "off", or the total size limit of all indexes ("64M");
 * warns about other values. With `off` no index is used. `dir` holds the path and must live until
 * `options` have been used. Returns 0 or -ENOMEM. */
int tally_index_apply(bool off, struct tally_symbols_options *options, struct tally_str *dir);

#endif
