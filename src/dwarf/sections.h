/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of sections, as an ELF file has them. */
#ifndef TALLY_DWARF_SECTIONS_H
#define TALLY_DWARF_SECTIONS_H

#include "dwarf/dwarf.h"

/* The bytes of a section of names, and where in it that of a section is; of TALLY_DWARF_SECTIONS:
 * its own. */
extern const char dwarf_names[];
extern const size_t dwarf_names_size;
size_t dwarf_name_place(int section);

#endif
