/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of `tally script`: perf's names, which event types have them, what they need. */
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
};

/* Kinds of events with defaults of their own. */
enum { SCRIPT_HW, SCRIPT_SW, SCRIPT_TP, SCRIPT_OTHER, SCRIPT_NR_KINDS };

struct tally_script_fields {
	uint32_t shown[SCRIPT_NR_KINDS];
	uint32_t asked[SCRIPT_NR_KINDS]; /* by name: it is an error when the samples lack them */
	bool given[SCRIPT_NR_KINDS];     /* by -F: not perf's defaults any more */
	size_t nr_seen;                  /* events that tally_script_fields_chains() has seen */
};

void tally_script_fields_default(struct tally_script_fields *fields);

/* Apply one -F. Says what is wrong. 0 or -EINVAL. */
int tally_script_fields_parse(struct tally_script_fields *fields, const char *text);

/* As soon as a tracepoint has callchains those of all tracepoints are shown by default, as in perf:
 * to be called with the events that are known so far. */
void tally_script_fields_chains(struct tally_script_fields *fields,
				const struct tally_perfdata *data);

/* What is shown of samples of `event`: the fields of its kind that its samples have.
 * -EINVAL, said, when one that was asked for is missing. */
int tally_script_fields_of(const struct tally_script_fields *fields,
			   const struct tally_perfdata_event *event, uint32_t *ret_fields);

#endif
