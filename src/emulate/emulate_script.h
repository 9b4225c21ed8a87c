/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scripts for the simulated machine (`tally emulate --host sim:FILE`). A script specifies the
 * machine's PMU, event counts, sample locations, and calls that fail. docs/emulate.md describes the
 * language.
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
	TALLY_SCRIPT_SEQUENCE = 4096,     /* total number of sequence values, over all events */
	TALLY_SCRIPT_BYTES = 1024 * 1024, /* maximum size of a script */
};

struct tally_script_event {
	char name[TALLY_SCRIPT_NAME];
	uint32_t type;
	uint64_t config;
	uint64_t per_s;     /* count per second of CPU time */
	uint32_t first, nr; /* index of the first sequence value; number of values, or 0 */
	uint32_t counters;  /* bit mask of counters that the event may use; 0 for all */
};

/* Sample location: a symbol in the program, or an address if `symbol` is empty. */
struct tally_script_place {
	char symbol[TALLY_SCRIPT_NAME];
	uint64_t address; /* address, or offset from the symbol */
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
	uint64_t nth; /* number of the call that fails, from 1; 0 if every call fails */
	int error;    /* positive errno value */
};

struct tally_script {
	char pmu[TALLY_SCRIPT_NAME]; /* empty if there is no PMU */
	uint8_t counters, width;
	bool no_interrupt; /* the PMU cannot sample */
	int32_t paranoid;
	uint32_t cpus;    /* 0 for as many as the real machine has */
	uint64_t call_ns; /* CPU time that a thread uses from one call to the next */
	uint64_t life_ns; /* minimum CPU time that a program uses from start to exit */
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
	const char *text;      /* static string; lower case, no full stop */
};

/* Parse `len` bytes. Returns 0, -EINVAL with `ret_error` filled in, or -E2BIG if `len` exceeds
 * TALLY_SCRIPT_BYTES. */
int tally_script_parse(const char *text, size_t len, struct tally_script *ret_script,
		       struct tally_script_error *ret_error);

#endif
