/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that select what to measure, for the tables of commands that measure. `target` is the
 * offset of the struct tally_target in the command's config. */
#ifndef TALLY_CLI_MAIN_TARGET_OPTIONS_H
#define TALLY_CLI_MAIN_TARGET_OPTIONS_H

#include "cli/main/command.h"
#include "sampler/target.h"

#define TALLY_TARGET_AT(target, member) ((target) + offsetof(struct tally_target, member))

/* clang-format off */
#define TALLY_OPTIONS_CPUS(target)                                                          \
	{'a', "all-cpus", TALLY_OPTION_FLAG, TALLY_TARGET_AT(target, all_cpus), NULL,       \
	 "measure all tasks on all CPUs (default without another target)"},               \
	{'C', "cpu", TALLY_OPTION_TEXT, TALLY_TARGET_AT(target, cpus), "list",              \
	 "measure all tasks on these CPUs: 0-3,5"}

/* `letter` is 0 in commands where -t means something else. */
#define TALLY_OPTIONS_TASKS(target, letter)                                                 \
	{'p', "pid", TALLY_OPTION_TEXT, TALLY_TARGET_AT(target, pids), "pids",              \
	 "measure these processes with all their threads"},                                             \
	{letter, "tid", TALLY_OPTION_TEXT, TALLY_TARGET_AT(target, tids), "tids", "measure these threads"}

#define TALLY_OPTION_USER(target)                                                           \
	{'u', "uid", TALLY_OPTION_TEXT, TALLY_TARGET_AT(target, user), "user",              \
	 "measure the processes of this user"}
/* clang-format on */

#endif
