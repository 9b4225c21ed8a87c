/* SPDX-License-Identifier: BSD-2-Clause */
/* Find the variable that an instruction accesses, with a handle from dwarf.h. */
#ifndef TALLY_DWARF_VARIABLES_H
#define TALLY_DWARF_VARIABLES_H

#include "dwarf/dwarf.h"
#include "dwarf/types.h"

/* Find the variable and its type, which is valid until the handle is closed. Returns 0, also if it
 * is not found, or -ENOMEM. */
int tally_dwarf_variable(struct tally_dwarf *dwarf, const struct tally_variable_question *question,
			 struct tally_variable *ret_variable);

#endif
