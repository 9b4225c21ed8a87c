/* SPDX-License-Identifier: BSD-2-Clause */
/* Text for an address of a sample other than that of its instruction: data, and both ends of a
 * branch. */
#ifndef TALLY_VIEW_SAMPLE_PLACE_H
#define TALLY_VIEW_SAMPLE_PLACE_H

#include "base/str.h"
#include "profile/process/branch_stack.h"

enum tally_place_form {
	TALLY_PLACE_NAME,   /* "[.] main" */
	TALLY_PLACE_OFFSET, /* "[.] main+0x10" */
};

/* Append the symbol at `addr`, or the address, after a letter for the address space. */
void tally_place_add_symbol(struct tally_machine *machine, const struct tally_thread *thread,
			    uint8_t cpumode, uint64_t addr, enum tally_place_form form,
			    struct tally_str *out);

/* Append the file that is mapped at `addr`, or "[unknown]". */
void tally_place_add_file(struct tally_machine *machine, const struct tally_thread *thread,
			  uint8_t cpumode, uint64_t addr, struct tally_str *out);

/* Append the source line, or the symbol and the offset in it if there is none. */
void tally_place_add_line(struct tally_machine *machine, const struct tally_thread *thread,
			  uint8_t cpumode, uint64_t addr, struct tally_str *out);

/* Append the source line of a location. */
void tally_place_add_location_line(const struct tally_location *where, struct tally_str *out);

#endif
