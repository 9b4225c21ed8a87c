/* SPDX-License-Identifier: BSD-2-Clause */
/* Symbols from files: the table, and the files while they are open. */
#ifndef TALLY_SYMBOLS_DSO_FILES_H
#define TALLY_SYMBOLS_DSO_FILES_H

#include "symbols/dso.h"

/* Set the source of the symbols; `path` is copied and may be NULL. Returns 0 or -ENOMEM. */
int tally_dso_set_source(struct tally_dso *dso, enum tally_dso_source source, const char *path);

/* Finish the DSO's table, using the names that will be shown to users. Returns 0 or -ENOMEM. */
int tally_dso_finish(struct tally_dso *dso);

/* Close the files from which symbols were loaded. Returns 0, or -EIO if a file was truncated. */
int tally_dso_release(struct tally_dso *dso);

#endif
