/* SPDX-License-Identifier: BSD-2-Clause */
/* Location and size limit of the symbol index, from options and the environment. */
#ifndef TALLY_CLI_MAIN_SYMBOL_INDEX_H
#define TALLY_CLI_MAIN_SYMBOL_INDEX_H

#include <stdbool.h>

#include "base/str.h"
#include "symbols/symbols.h"

/* Set the index options from TALLY_INDEX, which is either "off" or a limit on the total size of all
 * indexes, such as "64M"; warn about other values. If `off` is set, no index is used. `dir`
 * receives the path and must remain valid as long as `options` is used. Returns 0 or -ENOMEM. */
int tally_index_apply(bool off, struct tally_symbols_options *options, struct tally_str *dir);

#endif
