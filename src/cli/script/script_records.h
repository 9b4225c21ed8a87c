/* SPDX-License-Identifier: BSD-2-Clause */
/* Non-sample records in the format of perf script --show-...-events: one line per record, in
 * chronological order. */
#ifndef TALLY_CLI_SCRIPT_RECORDS_H
#define TALLY_CLI_SCRIPT_RECORDS_H

#include "cli/script/script_print.h"

/* Bit mask of the records to show. */
enum {
	SCRIPT_SHOW_TASKS = 1 << 0, /* COMM, FORK, EXIT */
	SCRIPT_SHOW_MAPS = 1 << 1,  /* MMAP, MMAP2 */
	SCRIPT_SHOW_SWITCHES = 1 << 2,
	SCRIPT_SHOW_CGROUPS = 1 << 3,
	SCRIPT_SHOW_LOST = 1 << 4,
	SCRIPT_SHOW_BPF = 1 << 5, /* BPF_EVENT, KSYMBOL */
	SCRIPT_SHOW_TEXT_POKES = 1 << 6,
	SCRIPT_SHOW_NAMESPACES = 1 << 7,
	SCRIPT_SHOW_ROUNDS = 1 << 8, /* FINISHED_ROUND, printed without a task */
};

/* Number of bits; an option's place in a table of them is the number of its bit. */
enum { SCRIPT_NR_SHOWN = 9 };

/* Return the bit for a record type, or 0 for types that are never shown. */
unsigned script_record_kind(uint32_t type);

/* Append the record's line to printer->out, beginning with task, CPU and time as selected by
 * `fields`. Appends nothing if the record is damaged or has no event. */
void script_print_record(struct tally_script_printer *printer,
			 const struct tally_perfdata_record *record, uint64_t fields);

#endif
