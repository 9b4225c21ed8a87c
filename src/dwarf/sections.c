/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "dwarf/sections.h"

const char dwarf_names[] = "\0.debug_info\0"
			   ".debug_abbrev\0"
			   ".debug_line\0"
			   ".debug_str\0"
			   ".debug_line_str\0"
			   ".debug_ranges\0"
			   ".debug_rnglists\0"
			   ".debug_addr\0"
			   ".debug_str_offsets\0"
			   ".debug_types\0"
			   ".debug_loc\0"
			   ".debug_loclists\0"
			   ".shstrtab";
const size_t dwarf_names_size = sizeof(dwarf_names);

size_t dwarf_name_offset(int section)
{
	size_t at = 1;

	while (section--)
		at += strlen(dwarf_names + at) + 1;
	return at;
}

const char *tally_dwarf_section_name(enum tally_dwarf_section section)
{
	return dwarf_names + dwarf_name_offset((int)section);
}
