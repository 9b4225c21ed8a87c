/* SPDX-License-Identifier: BSD-2-Clause */
/* A scenario on the minimal host that uses most features. Any of its steps may fail. */
#ifndef TALLY_TESTS_CORE_MINIMAL_SCENARIO_H
#define TALLY_TESTS_CORE_MINIMAL_SCENARIO_H

#include "core/minimal/mini.h"

/* Open, group, inherit, map, filter, redirect, sample, fork, exec, exit, read and control events,
 * and take CPUs offline and online again. Needs at least 2 CPUs. Returns the number of successful
 * steps. */
unsigned mini_scenario(struct mini *mini);

#endif
