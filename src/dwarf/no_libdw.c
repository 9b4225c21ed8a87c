/* SPDX-License-Identifier: BSD-2-Clause */
/* Stubs for a build without libdw. */
#include <errno.h>

#include "dwarf/variables.h"

bool tally_dwarf_available(void)
{
	return false;
}

int tally_dwarf_open(const struct tally_dwarf_file *file, const struct tally_dwarf_file *alt,
		     struct tally_dwarf **ret_dwarf)
{
	return -ENOSYS;
}

void tally_dwarf_close(struct tally_dwarf *dwarf)
{
}

int tally_dwarf_unit(struct tally_dwarf *dwarf, uint64_t addr, uint32_t *ret_unit)
{
	return -ENOENT;
}

int tally_dwarf_variable(struct tally_dwarf *dwarf, const struct tally_variable_question *question,
			 struct tally_variable *ret_variable)
{
	*ret_variable = (struct tally_variable){.result = TALLY_VARIABLE_NO_UNIT};
	return 0;
}

uint64_t tally_dwarf_missing(const struct tally_dwarf *dwarf)
{
	return 0;
}

int tally_dwarf_find(struct tally_dwarf *dwarf, uint64_t addr, tally_line_take take, void *arg)
{
	return -ENOENT;
}
