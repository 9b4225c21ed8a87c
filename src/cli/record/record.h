/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tally record share. */
#ifndef TALLY_CLI_RECORD_RECORD_H
#define TALLY_CLI_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/vec.h"
#include "cli/main/via.h"
#include "cli/record/config.h"
#include "cli/record/output.h"
#include "cli/record/progress.h"
#include "sampler/child.h"
#include "sampler/control.h"
#include "sampler/sampler.h"

struct record_unwinding;
struct record_pins;

/* See look.h. */
struct record_looks {
	TALLY_VEC(uint64_t) positions; /* by ring: what is before it was looked at */
	uint64_t at, pause;            /* ns: the last one, CLOCK_MONOTONIC; until the next one */
	bool has_maps;                 /* there were mappings since */
};

struct record {
	struct record_config *config;
	int argc;
	char **argv;    /* the whole command line, for the file */
	char **command; /* within it; NULL: none */
	struct tally_sampler sampler;
	uint64_t started; /* ns, CLOCK_MONOTONIC */
	struct tally_via via;
	struct tally_child child;
	bool is_going;  /* the child was let go */
	int exec_error; /* -errno of a command that could not be run */
	struct record_output output;
	struct tally_control control;
	int signals, kallsyms;     /* signalfd; see tally_privileges_kallsyms(), 0: none */
	bool stop, disabled, dump; /* asked to: end, pause, write out what overwrite rings hold */
	unsigned interrupts;       /* SIGINT, SIGTERM, SIGHUP so far: the end was asked for */
	bool is_ending_command;    /* it was sent SIGTERM */
	bool is_hidden;            /* it runs, and its events are gone */
	int64_t delay_ns;          /* until enabling; -1: never, 0: at once */
	uint64_t drained;          /* ns, CLOCK_MONOTONIC: when rings were written out last */
	uint64_t wakeups, lost;
	struct record_progress progress;
	bool is_over;                       /* --duration has passed */
	struct record_unwinding *unwinding; /* NULL: dumps stay what they are */
	TALLY_VEC(struct iovec) pieces;     /* of rings that are being drained */
	struct record_pins *pins;           /* NULL: no files are looked at */
	struct record_looks looks;
};

#endif
