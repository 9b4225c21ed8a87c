/* SPDX-License-Identifier: BSD-2-Clause */
/* Run this program with other arguments. */
#ifndef TALLY_CLI_SELFTEST_PROGRAM_H
#define TALLY_CLI_SELFTEST_PROGRAM_H

#include "cli/selftest/selftest.h"
#include "sampler/child.h"

/* Prepare to run this program with `words`, a NULL-terminated array that begins with the name of a
 * command. Its output is discarded. The child waits for selftest_program_finish(). Free it with
 * tally_child_free(). */
enum selftest_result selftest_program_start(struct selftest *test, char *const *words,
					    struct tally_child *child);

/* Run the prepared child, and wait for its end. Returns OK if its exit status is 0. */
enum selftest_result selftest_program_finish(struct selftest *test, struct tally_child *child);

/* Run this program with `words` from start to end. */
enum selftest_result selftest_program_run(struct selftest *test, char *const *words);

#endif
