/* SPDX-License-Identifier: BSD-2-Clause */
/* Records besides samples as perf script --show-...-events writes them: one line each, in time
 * order. */
#ifndef TALLY_CLI_SCRIPT_RECORDS_H
#define TALLY_CLI_SCRIPT_RECORDS_H

#include "cli/script/print.h"

/* Which of them; sets of bits. */
enum {
	SCRIPT_SHOW_TASKS = 1 << 0, /* COMM, FORK, EXIT */
	SCRIPT_SHOW_MAPS = 1 << 1,  /* MMAP, MMAP2 */
	SCRIPT_SHOW_SWITCHES = 1 << 2,
	SCRIPT_SHOW_CGROUPS = 1 << 3,
};

/* The bit of a record's type; 0 of those that are never shown. */
unsigned script_record_kind(uint32_t type);

/* Append the record's line to printer->out, beginning with those of `fields` that tell who, where
 * and when. Nothing of a record that is damaged or of no event. */
void script_print_record(struct tally_script_printer *printer,
			 const struct tally_perfdata_record *record, uint32_t fields);

#endif
