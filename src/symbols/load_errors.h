/* SPDX-License-Identifier: BSD-2-Clause */
/* Errors from loaders. */
#ifndef TALLY_SYMBOLS_LOAD_ERRORS_H
#define TALLY_SYMBOLS_LOAD_ERRORS_H

#include <errno.h>

#include "symbols/dso_state.h"

/* Error codes with a special meaning for the loaders, and the corresponding states. */
enum {
	TALLY_DSO_ERROR_FOREIGN = -EXDEV,            /* TALLY_DSO_FOREIGN */
	TALLY_DSO_ERROR_NOT_TRUSTED = -EKEYREJECTED, /* TALLY_DSO_NOT_TRUSTED */
	TALLY_DSO_ERROR_REPLACED = -EREMCHG,         /* TALLY_DSO_REPLACED */
	TALLY_DSO_ERROR_REMOVED = -EIDRM,            /* TALLY_DSO_REMOVED */
	TALLY_DSO_ERROR_CHANGED = -EUCLEAN,          /* TALLY_DSO_CHANGED */
	TALLY_DSO_ERROR_DEBUG_ONLY = -EDOM,          /* TALLY_DSO_DEBUG_ONLY */
};

/* Return the state that corresponds to an error. */
enum tally_dso_state tally_dso_state_of_error(int code);

/* Return the more informative of two errors: "wrong file" takes precedence over "no file". */
int tally_worse_error(int a, int b);

#endif
