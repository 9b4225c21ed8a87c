/* SPDX-License-Identifier: BSD-2-Clause */
/* The cases of a folder, and the system that they are put to, each in a process of its own. */
#ifndef TALLY_TESTS_DIFFERENTIAL_SUITE_H
#define TALLY_TESTS_DIFFERENTIAL_SUITE_H

#include "cases.h"
#include "system.h"

struct suite {
	struct case_rows cases;
	struct system *(*system_new)(bool root);
	char *answer; /* shared with the process that runs a case */
};

/* The system by name: "linux", whose release then must begin with `release` (NULL: any will do);
 * "emulated", for a program that runs under tally emulate; "sim"; "sim-pmu". NULL, or why it cannot
 * be asked here. */
const char *suite_choose(struct suite *suite, const char *system, const char *release);

/* Load FOLDER/cases. False, with a message, if there are none, or one of them is not well formed.
 */
bool suite_load(struct suite *suite, const char *folder);

/* What the system answers to a case; good until the next one is run. */
const char *suite_run(struct suite *suite, const struct case_row *row);

void suite_free(struct suite *suite);

#endif
