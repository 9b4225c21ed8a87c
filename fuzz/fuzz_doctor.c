/* SPDX-License-Identifier: BSD-2-Clause */
/* Input to tally doctor: contents of procfs and sysfs files, and a program's functions. */
#include <stdlib.h>

#include "symbols/elf/prologue.h"
#include "cli/doctor/doctor_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void read_texts(const char *text, size_t size)
{
	const char *value;
	size_t len = 0;

	doctor_text_has_addresses(text, size);
	check(!doctor_text_has_word(text, size, "function") ||
	      doctor_text_has(text, size, "function"));
	value = doctor_text_variable(text, size, "container", &len);
	check(!value || (value > text && value + len <= text + size));
	value = doctor_text_chosen(text, size, &len);
	check(!value || (value > text && value + len < text + size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tally_prologues prologues;
	struct tally_elf elf;

	read_texts((const char *)data, size);
	if (!tally_elf_open(data, size, &elf, NULL) && !tally_elf_prologues_scan(&elf, &prologues))
		check(prologues.looked <= prologues.functions &&
		      prologues.frames <= prologues.looked);
	return 0;
}
