/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that select the target, for the option tables of commands that measure. `target` is the
 * offset of the struct tally_target in the command's config. */
#ifndef TALLY_CLI_MAIN_TARGET_OPTIONS_H
#define TALLY_CLI_MAIN_TARGET_OPTIONS_H

#include "cli/main/command.h"
#include "sampler/target.h"

#define TALLY_TARGET_AT(target, member) ((target) + offsetof(struct tally_target, member))

/* clang-format off */
#define TALLY_OPTIONS_CPUS(target)                                                          \
	{'a', "all-cpus", TALLY_OPTION_FLAG, TALLY_TARGET_AT(target, all_cpus), NULL,       \
	 "monitor all tasks on all CPUs (default if no target is given)"},               \
	{'C', "cpu", TALLY_OPTION_TEXT, TALLY_TARGET_AT(target, cpus), "list",              \
	 "monitor all tasks on these CPUs (e.g. 0-3,5)"}

/* `letter` is 0 in commands where -t has another meaning. */
#define TALLY_OPTIONS_TASKS(target, letter)                                                 \
	{'p', "pid", TALLY_OPTION_TEXT, TALLY_TARGET_AT(target, pids), "pids",              \
	 "monitor these processes with all their threads"},                                             \
	{letter, "tid", TALLY_OPTION_TEXT, TALLY_TARGET_AT(target, tids), "tids", "monitor these threads"}

#define TALLY_OPTION_USER(target)                                                           \
	{'u', "uid", TALLY_OPTION_TEXT, TALLY_TARGET_AT(target, user), "user",              \
	 "monitor this user's processes"}
/* clang-format on */

#endif
