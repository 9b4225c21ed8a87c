/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of `tally script`: their names (as in perf), the event kinds that have them, and the
 * sample content that they require. */
#ifndef TALLY_CLI_SCRIPT_FIELDS_H
#define TALLY_CLI_SCRIPT_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tally/perfdata.h"

#define SCRIPT_COMM           (UINT64_C(1) << 0)
#define SCRIPT_TID            (UINT64_C(1) << 1)
#define SCRIPT_PID            (UINT64_C(1) << 2)
#define SCRIPT_TIME           (UINT64_C(1) << 3)
#define SCRIPT_CPU            (UINT64_C(1) << 4)
#define SCRIPT_EVENT          (UINT64_C(1) << 5)
#define SCRIPT_TRACE          (UINT64_C(1) << 6)
#define SCRIPT_IP             (UINT64_C(1) << 7)
#define SCRIPT_SYM            (UINT64_C(1) << 8)
#define SCRIPT_DSO            (UINT64_C(1) << 9)
#define SCRIPT_ADDR           (UINT64_C(1) << 10)
#define SCRIPT_SYMOFF         (UINT64_C(1) << 11)
#define SCRIPT_PERIOD         (UINT64_C(1) << 12)
#define SCRIPT_BRSTACK        (UINT64_C(1) << 13)
#define SCRIPT_BRSTACKSYM     (UINT64_C(1) << 14)
#define SCRIPT_WEIGHT         (UINT64_C(1) << 15)
#define SCRIPT_PHYS_ADDR      (UINT64_C(1) << 16)
#define SCRIPT_MISC           (UINT64_C(1) << 17)
#define SCRIPT_DATA_PAGE_SIZE (UINT64_C(1) << 18)
#define SCRIPT_CODE_PAGE_SIZE (UINT64_C(1) << 19)
#define SCRIPT_CGROUP         (UINT64_C(1) << 20)
#define SCRIPT_DATA_SRC       (UINT64_C(1) << 21)
#define SCRIPT_IREGS          (UINT64_C(1) << 22)
#define SCRIPT_UREGS          (UINT64_C(1) << 23)
#define SCRIPT_SRCLINE        (UINT64_C(1) << 24)
#define SCRIPT_BRSTACKOFF     (UINT64_C(1) << 25)
#define SCRIPT_INS_LAT        (UINT64_C(1) << 26)
#define SCRIPT_RETIRE_LAT     (UINT64_C(1) << 27)
#define SCRIPT_DSOFF          (UINT64_C(1) << 28)
#define SCRIPT_TOD            (UINT64_C(1) << 29)
#define SCRIPT_INSN           (UINT64_C(1) << 30)
#define SCRIPT_INSNLEN        (UINT64_C(1) << 31)
#define SCRIPT_DISASM         (UINT64_C(1) << 32)
#define SCRIPT_BRSTACKINSN    (UINT64_C(1) << 33)
#define SCRIPT_BRSTACKINSNLEN (UINT64_C(1) << 34)
#define SCRIPT_BRSTACKDISASM  (UINT64_C(1) << 35)
#define SCRIPT_SRCCODE        (UINT64_C(1) << 36)
#define SCRIPT_BPF_OUTPUT     (UINT64_C(1) << 37)

/* Fields that show the code between branches. */
#define SCRIPT_BRANCH_CODE (SCRIPT_BRSTACKINSN | SCRIPT_BRSTACKINSNLEN | SCRIPT_BRSTACKDISASM)

/* Event kinds, each with its own default fields. */
enum { SCRIPT_HW, SCRIPT_SW, SCRIPT_TP, SCRIPT_OTHER, SCRIPT_NR_KINDS };

/* Fields by event kind. */
struct tally_script_fields {
	uint64_t shown[SCRIPT_NR_KINDS];
	uint64_t asked[SCRIPT_NR_KINDS];  /* for all kinds: an error if samples lack them */
	uint64_t wished[SCRIPT_NR_KINDS]; /* for this kind: a warning if samples lack them */
	bool given[SCRIPT_NR_KINDS];      /* set by -F, so the defaults do not apply */
	/* Number of events already checked by tally_script_fields_chains(). */
	size_t nr_seen;
};

void tally_script_fields_default(struct tally_script_fields *fields);

/* Print the names of all fields for shells. */
void tally_script_fields_print(const char *before);

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
			   const struct tally_perfdata_event *event, uint64_t *ret_fields);

/* Check the fields of -F for the first event of each kind, as perf does before it reads samples.
 * Returns 0, or -EINVAL after printing an error. */
int tally_script_fields_check(const struct tally_script_fields *fields,
			      const struct tally_perfdata *data);

#endif
