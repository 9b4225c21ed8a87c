/* SPDX-License-Identifier: BSD-2-Clause */
/* A fact as it is told: its state, and words for people and programs. */
#ifndef TALLY_CLI_DOCTOR_FINDING_H
#define TALLY_CLI_DOCTOR_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "tally/client.h"

/* How a fact bears on profiling. */
enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* worth knowing */
	DOCTOR_WARN,    /* something cannot be had */
	DOCTOR_BAD,     /* stands in the way of profiling */
	DOCTOR_UNKNOWN, /* could not be found out */
};

enum { DOCTOR_FIXES = 5 };

struct doctor_finding {
	enum doctor_state state;
	struct tally_str text, cause, fix[DOCTOR_FIXES]; /* fixes: smallest change first */
	size_t nr_fixes;
	/* The same for programs; a word or a number, if the fact has one. */
	const char *word;
	bool has_number;
	int64_t number;
};

void doctor_finding_set(struct doctor_finding *finding, enum doctor_state state, const char *format,
			...) __attribute__((format(printf, 3, 4)));

void doctor_cause(struct doctor_finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void doctor_fix(struct doctor_finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

void doctor_number(struct doctor_finding *finding, int64_t number);

/* Set the cause to the rule of a refusal and what was found, and add its fixes. A fix that
 * tells to ask for less is none here and is left out: the first one where an event of the kernel or
 * of a whole CPU was refused, and the first one for rings. */
void doctor_refusal(struct doctor_finding *finding, const struct tally_refusal *why);

void doctor_refusal_of_rings(struct doctor_finding *finding, const struct tally_refusal *why);

void doctor_finding_free(struct doctor_finding *finding);

#endif
