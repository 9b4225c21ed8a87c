/* SPDX-License-Identifier: BSD-2-Clause */
/* Something of everything, on the least host, each step of which may fail. */
#ifndef TALLY_TESTS_CORE_LEAST_SCENARIO_H
#define TALLY_TESTS_CORE_LEAST_SCENARIO_H

#include "core/least/least.h"

/* Open, group, inherit, map, filter, redirect, sample, fork, exec, exit, read, control, CPUs that
 * go and come. How many of the steps worked. On at least 2 CPUs. */
unsigned least_scenario(struct least *least);

#endif
