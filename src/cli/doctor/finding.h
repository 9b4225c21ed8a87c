/* SPDX-License-Identifier: BSD-2-Clause */
/* The finding for a fact: its state, a description for users, and a machine-readable value. */
#ifndef TALLY_CLI_DOCTOR_FINDING_H
#define TALLY_CLI_DOCTOR_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "tally/client.h"

/* Effect of a fact on profiling. */
enum doctor_state {
	DOCTOR_OK,
	DOCTOR_NOTE,    /* worth knowing */
	DOCTOR_WARN,    /* something is not available */
	DOCTOR_BAD,     /* prevents profiling */
	DOCTOR_UNKNOWN, /* could not be determined */
};

enum { DOCTOR_FIXES = 5 };

struct doctor_finding {
	enum doctor_state state;
	struct tally_str text, cause, fix[DOCTOR_FIXES]; /* the smallest fix is first */
	size_t nr_fixes;
	/* Machine-readable value: a word or a number, if the fact has one. */
	const char *word;
	bool has_number;
	int64_t number;
};

/* Set the state, and append to the description. */
void doctor_finding_set(struct doctor_finding *finding, enum doctor_state state, const char *format,
			...) __attribute__((format(printf, 3, 4)));

/* Append to the cause, preceded by "; " unless the cause is empty. */
void doctor_cause(struct doctor_finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Add a fix. At most DOCTOR_FIXES are kept. */
void doctor_fix(struct doctor_finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Set the machine-readable number. */
void doctor_number(struct doctor_finding *finding, int64_t number);

/* Set the cause to the violated rule and the details of a refusal, and add the refusal's fixes.
 * The first fix is omitted if it merely suggests requesting less. doctor_refusal() omits it if
 * the rejected event counts in the kernel or on a whole CPU; doctor_refusal_of_rings() always
 * omits it. */
void doctor_refusal(struct doctor_finding *finding, const struct tally_refusal *why);

void doctor_refusal_of_rings(struct doctor_finding *finding, const struct tally_refusal *why);

/* Free the finding's strings. */
void doctor_finding_free(struct doctor_finding *finding);

#endif
