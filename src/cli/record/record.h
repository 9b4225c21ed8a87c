/* SPDX-License-Identifier: BSD-2-Clause */
/* Definitions shared by the files of tally record. */
#ifndef TALLY_CLI_RECORD_RECORD_H
#define TALLY_CLI_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/vec.h"
#include "cli/main/via.h"
#include "cli/record/record_config.h"
#include "cli/record/record_output.h"
#include "cli/record/record_progress.h"
#include "sampler/child.h"
#include "sampler/sampler_control.h"
#include "sampler/sampler.h"

struct record_unwinding;
struct record_pins;

/* State of scanning, see ring_scan.h. */
struct record_scan_state {
	TALLY_VEC(uint64_t) positions; /* by ring: position up to which it was scanned */
	uint64_t at, pause;            /* time of the last scan, CLOCK_MONOTONIC, and interval until
	                                * the next; ns */
	bool has_maps;                 /* mappings were found since the last scan */
};

struct record {
	struct record_config *config;
	int argc;
	char **argv;    /* complete command line, written to the file */
	char **command; /* part of argv; NULL: none */
	struct tally_sampler sampler;
	uint64_t started; /* ns, CLOCK_MONOTONIC */
	struct tally_via via;
	struct tally_child child;
	bool is_going;  /* the child was started */
	int exec_error; /* -errno if the command could not be executed, or 0 */
	struct record_output output;
	struct tally_control control;
	int signals, kallsyms;     /* signalfd; see tally_privileges_kallsyms(), 0: none */
	bool stop, disabled, dump; /* requests: end, pause, write out the overwrite rings */
	unsigned interrupts;       /* number of signals that requested the end, such as SIGINT */
	bool is_ending_command;    /* SIGTERM was sent to the command */
	bool is_hidden;            /* the command runs, but the kernel removed its events */
	int64_t delay_ns;          /* until the events are enabled; -1: never, 0: immediately */
	uint64_t drained;          /* time of the last write of the rings; ns, CLOCK_MONOTONIC */
	uint64_t wakeups, lost;
	struct record_progress progress;
	bool is_over;                       /* --duration has passed */
	struct record_unwinding *unwinding; /* NULL: stack dumps are written as they are */
	TALLY_VEC(struct iovec) pieces;     /* of rings being drained */
	struct record_pins *pins;           /* NULL: no files are read */
	struct record_scan_state looks;
};

#endif
