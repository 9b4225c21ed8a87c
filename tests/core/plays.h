/* SPDX-License-Identifier: BSD-2-Clause */
/* Scripts that several tests use. */
#ifndef TALLY_TESTS_CORE_PLAYS_H
#define TALLY_TESTS_CORE_PLAYS_H

#include "scene.h"

/* Always in user space, always busy. */
static const struct tally_sim_step play_hog[] = {
	SIM_LOOP(0), SIM_RUN(SIM_USER, 300 * US, &scene_busy), SIM_END_LOOP()};

/* User and kernel mode, sleeping now and then. */
static const struct tally_sim_step play_worker[] = {
	SIM_LOOP(0),
	SIM_RUN(SIM_USER, 31 * US, &scene_busy),
	SIM_RUN(SIM_KERNEL, 7 * US, &scene_calm),
	SIM_SLEEP(13 * US),
	SIM_END_LOOP(),
};

#endif
