/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TALLY_SYMBOLS_LOAD_CODE_H
#define TALLY_SYMBOLS_LOAD_CODE_H

#include "symbols/dso.h"

/* Close the file from which code was read. */
void tally_dso_release_code(struct tally_dso *dso);

#endif
