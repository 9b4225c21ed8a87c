/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts used by several tests. */
#ifndef TALLY_TESTS_CORE_SCRIPTS_H
#define TALLY_TESTS_CORE_SCRIPTS_H

#include "harness.h"

/* A task that is always busy in user space. */
static const struct tally_sim_step script_hog[] = {
	SIM_LOOP(0), SIM_RUN(SIM_USER, 300 * US, &harness_busy), SIM_END_LOOP()};

/* A task that runs in user and kernel mode, with short sleeps. */
static const struct tally_sim_step script_worker[] = {
	SIM_LOOP(0),
	SIM_RUN(SIM_USER, 31 * US, &harness_busy),
	SIM_RUN(SIM_KERNEL, 7 * US, &harness_calm),
	SIM_SLEEP(13 * US),
	SIM_END_LOOP(),
};

#endif
