/* SPDX-License-Identifier: BSD-2-Clause */
/* Run one case in a process of its own. */
#ifndef TALLY_CLI_SELFTEST_RUN_H
#define TALLY_CLI_SELFTEST_RUN_H

#include "cli/selftest/selftest.h"

/* Seconds after which a case is ended and counts as failed. */
enum { SELFTEST_SECONDS = 30 };

/* Run a case. A crash or a case that does not end is a failure, which `test->why` describes. With
 * `no_fork`, the case runs in this process instead. */
enum selftest_result selftest_run(const struct selftest_case *one, struct selftest *test,
				  bool no_fork);

#endif
