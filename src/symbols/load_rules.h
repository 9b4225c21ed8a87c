/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SYMBOLS_LOAD_RULES_H
#define TALLY_SYMBOLS_LOAD_RULES_H

#include "symbols/dso.h"

/* Load the DSO's unwind rules from its index, or compile them from the mapped file and its debug
 * file. Returns 0; -ENODATA if they are not found; -ENOTSUP for machines other than x86-64 and
 * AArch64; or -errno as when loading symbols. */
int tally_dso_load_rules(struct tally_dso *dso);

#endif
