/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether, where and how large indexes of symbols are kept: by option and environment. */
#ifndef TALLY_CLI_RECORDING_INDEX_H
#define TALLY_CLI_RECORDING_INDEX_H

#include <stdbool.h>

#include "base/str.h"
#include "symbols/symbols.h"

/* Fill `options` by the environment: TALLY_INDEX is "off", or how large all indexes together may be
 * ("64M"); warns if it is neither. `off`: there are none. The path is in `dir`, which has to live
 * until the options were used. 0 or -ENOMEM. */
int tally_index_apply(bool off, struct tally_symbols_options *options, struct tally_str *dir);

#endif
