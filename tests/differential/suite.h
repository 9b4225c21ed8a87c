/* SPDX-License-Identifier: BSD-2-Clause */
/* The cases in a folder and the system that runs them. Each case runs in its own process. */
#ifndef TALLY_TESTS_DIFFERENTIAL_SUITE_H
#define TALLY_TESTS_DIFFERENTIAL_SUITE_H

#include "cases.h"
#include "system.h"

struct suite {
	struct case_rows cases;
	struct system *(*system_new)(bool root);
	char *answer; /* shared with the process that runs the case */
};

/* Choose a system by name: "linux", which requires a kernel release that begins with `release`
 * unless `release` is NULL; "emulated", for a program that runs under tally emulate; "sim" or
 * "sim-pmu". Returns NULL, or the reason why the system is not available. */
const char *suite_choose(struct suite *suite, const char *system, const char *release);

/* Load FOLDER/cases. Prints a message and returns false if there are no cases or a case is
 * invalid. */
bool suite_load(struct suite *suite, const char *folder);

/* Run a case and return the system's answer, which is valid until the next call. */
const char *suite_run(struct suite *suite, const struct case_row *row);

void suite_free(struct suite *suite);

#endif
