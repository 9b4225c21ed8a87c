/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of the variables that instructions access. They come from debug information, which is
 * decoded in another process (dwarf/worker.h); see symbols_lines.h about fork(2). */
#ifndef TALLY_SYMBOLS_LINES_SYMBOLS_TYPES_H
#define TALLY_SYMBOLS_LINES_SYMBOLS_TYPES_H

#include "dwarf/types.h"
#include "symbols/symbols.h"

/* Find the variable that is accessed by an instruction of the DSO. The addresses in the question
 * are linked addresses (code_file.h). The type is valid until the symbols are freed. The same type
 * may be at several addresses. Returns 0; -ENODATA if there is no debug information; -ECANCELED if
 * decoding it failed; or -ENOMEM. */
int tally_dso_variable(struct tally_dso *dso, const struct tally_variable_question *question,
		       struct tally_variable *ret_variable);

/* Free the types. */
void tally_dso_types_free(struct tally_dso *dso);

#endif
