/* SPDX-License-Identifier: BSD-2-Clause */
/* The image of the vdso. */
#ifndef TALLY_SYMBOLS_VDSO_H
#define TALLY_SYMBOLS_VDSO_H

#include "symbols/dso.h"

/* Open the vdso. Returns 0; -ENOENT for the vdso of another kind of process; or an error from
 * tally_kernel_is_here() or tally_image_open(). */
int tally_dso_open_vdso(const struct tally_dso *dso, struct tally_image *ret_image);

#endif
