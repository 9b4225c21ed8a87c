/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SYMBOLS_LOAD_RULES_H
#define TALLY_SYMBOLS_LOAD_RULES_H

#include "symbols/dso.h"

/* Compile the unwind rules of the DSO, of the file that was mapped and its debug file. 0; -ENODATA
 * if it has none; -ENOTSUP for other machines than x86-64 and AArch64; or -errno as of symbols. */
int tally_dso_load_rules(struct tally_dso *dso);

#endif
