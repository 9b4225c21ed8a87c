/* SPDX-License-Identifier: BSD-2-Clause */
/* Section names as an ELF string table. */
#ifndef TALLY_DWARF_SECTIONS_H
#define TALLY_DWARF_SECTIONS_H

#include "dwarf/dwarf.h"

/* The string table, and the offset of a section's name in the table. Index TALLY_DWARF_SECTIONS
 * denotes the string table itself. */
extern const char dwarf_names[];
extern const size_t dwarf_names_size;
size_t dwarf_name_offset(int section);

#endif
