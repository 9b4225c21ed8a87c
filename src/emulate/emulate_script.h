/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scripts of the simulated machine of `tally emulate --host sim:FILE`: its PMU, the counts of its
 * events, the locations of samples, and calls that fail. docs/emulate.md describes the language.
 */
#ifndef TALLY_EMULATE_SCRIPT_H
#define TALLY_EMULATE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TALLY_SCRIPT_EVENTS = 16,
	TALLY_SCRIPT_PLACES = 64,
	TALLY_SCRIPT_FAILURES = 64,
	TALLY_SCRIPT_NAME = 64,
	TALLY_SCRIPT_SEQUENCE = 4096,     /* values of all events together */
	TALLY_SCRIPT_BYTES = 1024 * 1024, /* maximum size of a script */
};

struct tally_script_event {
	char name[TALLY_SCRIPT_NAME];
	uint32_t type;
	uint64_t config;
	uint64_t per_s;     /* count per second of CPU time */
	uint32_t first, nr; /* part of the script's sequence that successive reads return; nr 0:
	                     * none */
	uint32_t counters;  /* bits of the counters that it may use; 0: all */
};

/* Location of samples: a symbol of the program, or (symbol "") an address. */
struct tally_script_place {
	char symbol[TALLY_SCRIPT_NAME];
	uint64_t address; /* the address, or an offset from the symbol */
	uint32_t weight;
};

enum tally_script_call {
	TALLY_SCRIPT_OPEN,
	TALLY_SCRIPT_IOCTL,
	TALLY_SCRIPT_MMAP,
	TALLY_SCRIPT_READ
};

struct tally_script_failure {
	enum tally_script_call call;
	uint64_t nth; /* positive errno value */
	int error;    /* positive */
};

struct tally_script {
	char pmu[TALLY_SCRIPT_NAME]; /* "": no PMU */
	uint8_t counters, width;
	bool no_interrupt; /* the PMU cannot sample */
	int32_t paranoid;
	uint32_t cpus;    /* 0: as many as the real machine has */
	uint64_t call_ns; /* CPU time of a thread from one call to the next */
	uint64_t life_ns; /* minimum CPU time of a program from its start to its end */
	struct tally_script_event events[TALLY_SCRIPT_EVENTS];
	uint32_t nr_events;
	struct tally_script_place places[TALLY_SCRIPT_PLACES];
	uint32_t nr_places;
	struct tally_script_failure failures[TALLY_SCRIPT_FAILURES];
	uint32_t nr_failures;
	uint64_t sequence[TALLY_SCRIPT_SEQUENCE];
	uint32_t nr_sequence;
};

struct tally_script_error {
	uint32_t line, column; /* counted from 1 */
	const char *text;      /* static; lower case, no full stop */
};

/* Parse `len` bytes. Returns 0; -EINVAL with `ret_error` filled in; -E2BIG over TALLY_SCRIPT_BYTES.
 */
int tally_script_parse(const char *text, size_t len, struct tally_script *ret_script,
		       struct tally_script_error *ret_error);

#endif
