/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions shared by the source files of tally record. */
#ifndef TALLY_CLI_RECORD_RECORD_H
#define TALLY_CLI_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/vec.h"
#include "cli/main/region_files.h"
#include "cli/main/via.h"
#include "cli/record/record_config.h"
#include "cli/record/record_output.h"
#include "cli/record/record_progress.h"
#include "cli/record/record_schedule.h"
#include "sampler/child.h"
#include "sampler/sampler_control.h"
#include "sampler/sampler.h"

/* Scan state; see ring_scan.h. */
struct record_scan_state {
	TALLY_VEC(uint64_t) positions; /* per ring, the position up to which it was scanned */
	uint64_t at, pause;            /* ns: when (CLOCK_MONOTONIC), and until the next scan */
	bool has_maps;                 /* mappings were found since the last scan */
};

struct record {
	struct record_config *config;
	int argc;
	char **argv;    /* complete command line, written to the file */
	char **command; /* part of argv, or NULL */
	struct tally_sampler sampler;
	struct tally_str *filters; /* one for each -e, or NULL */
	uint64_t started;          /* ns, CLOCK_MONOTONIC */
	struct tally_via via;
	struct tally_child child;
	bool is_going, is_over; /* the child was started; --duration has passed */
	int exec_error;         /* -errno if the command could not be executed, or 0 */
	struct record_output output;
	struct tally_control control;
	int signals, kallsyms;     /* signalfd; from tally_privileges_kallsyms(), or 0 */
	bool stop, disabled, dump; /* requests: stop, pause, write out the overwrite rings */
	unsigned interrupts;       /* number of termination requests by signals such as SIGINT */
	bool is_ending_command, is_hidden; /* SIGTERM was sent; the kernel removed the events */
	struct record_schedule schedule;   /* from -D */
	uint64_t drained, wakeups, lost; /* drained: when the rings were written; CLOCK_MONOTONIC */
	struct record_progress progress;
	struct record_unwinding *unwinding; /* NULL if stack dumps are written unchanged */
	TALLY_VEC(struct iovec) pieces;     /* contents of the rings being drained */
	struct record_pins *pins;           /* NULL if no files are read */
	struct record_state *state;         /* NULL if only one file begins with it */
	struct record_spool *spool;         /* NULL if the rings have no copies */
	struct record_scan_state looks;
	struct record_filters *filter;
	struct region_files regions; /* of --regions */
};

#endif
