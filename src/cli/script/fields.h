/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of `tally script`: their names (as in perf), the event kinds that have them, and the
 * sample content that they require. */
#ifndef TALLY_CLI_SCRIPT_FIELDS_H
#define TALLY_CLI_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/perfdata.h"

enum tally_script_field {
	SCRIPT_COMM = 1 << 0,
	SCRIPT_TID = 1 << 1,
	SCRIPT_PID = 1 << 2,
	SCRIPT_TIME = 1 << 3,
	SCRIPT_CPU = 1 << 4,
	SCRIPT_EVENT = 1 << 5,
	SCRIPT_TRACE = 1 << 6,
	SCRIPT_IP = 1 << 7,
	SCRIPT_SYM = 1 << 8,
	SCRIPT_DSO = 1 << 9,
	SCRIPT_ADDR = 1 << 10,
	SCRIPT_SYMOFF = 1 << 11,
	SCRIPT_PERIOD = 1 << 12,
	SCRIPT_BRSTACK = 1 << 13,
	SCRIPT_BRSTACKSYM = 1 << 14,
	SCRIPT_WEIGHT = 1 << 15,
	SCRIPT_PHYS_ADDR = 1 << 16,
	SCRIPT_MISC = 1 << 17,
	SCRIPT_DATA_PAGE_SIZE = 1 << 18,
	SCRIPT_CODE_PAGE_SIZE = 1 << 19,
	SCRIPT_CGROUP = 1 << 20,
	SCRIPT_DATA_SRC = 1 << 21,
	SCRIPT_IREGS = 1 << 22,
	SCRIPT_UREGS = 1 << 23,
	SCRIPT_SRCLINE = 1 << 24,
	SCRIPT_BRSTACKOFF = 1 << 25,
	SCRIPT_INS_LAT = 1 << 26,
	SCRIPT_RETIRE_LAT = 1 << 27,
	SCRIPT_DSOFF = 1 << 28,
	SCRIPT_TOD = 1 << 29,
};

/* Event kinds, each with its own default fields. */
enum { SCRIPT_HW, SCRIPT_SW, SCRIPT_TP, SCRIPT_OTHER, SCRIPT_NR_KINDS };

struct tally_script_fields {
	uint32_t shown[SCRIPT_NR_KINDS];
	uint32_t asked[SCRIPT_NR_KINDS]; /* requested by name; an error if samples lack them */
	bool given[SCRIPT_NR_KINDS];     /* set by -F, so the defaults do not apply */
	/* Number of events already checked by tally_script_fields_chains(). */
	size_t nr_seen;
};

void tally_script_fields_default(struct tally_script_fields *fields);

/* Apply one -F option. Returns 0, or -EINVAL after printing an error. */
int tally_script_fields_parse(struct tally_script_fields *fields, const char *text);

/* If any tracepoint has callchains, add them to the defaults of all tracepoints, as perf does. Call
 * this function whenever new events become known. */
void tally_script_fields_chains(struct tally_script_fields *fields,
				const struct tally_perfdata *data);

/* Get the fields to show for `event`'s samples: the fields shown for its event kind, except those
 * that the samples lack. Returns 0, or -EINVAL after printing an error if the samples lack a
 * requested field. */
int tally_script_fields_of(const struct tally_script_fields *fields,
			   const struct tally_perfdata_event *event, uint32_t *ret_fields);

#endif
