/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbol loaders by kind of DSO, and functions that they share. */
#ifndef TALLY_SYMBOLS_LOAD_H
#define TALLY_SYMBOLS_LOAD_H

#include "symbols/dso.h"

/* Each loader fills in the DSO's table, source and path. Returns 0, or -errno, which determines the
 * DSO's state. */
int tally_dso_load_user(struct tally_dso *dso);
int tally_dso_load_vdso(struct tally_dso *dso);
int tally_dso_load_kernel(struct tally_dso *dso);
int tally_dso_load_module(struct tally_dso *dso);

/* Load the symbols, unless loading has already been attempted. */
void tally_dso_load(struct tally_dso *dso);

/* Open the file of a module with a known address. Returns 0; TALLY_DSO_ERROR_FOREIGN; -ENOENT if
 * the recording does not contain the module's path; or an error from tally_image_open(). */
int tally_dso_open_module(const struct tally_dso *dso, struct tally_image *ret_image);

#endif
