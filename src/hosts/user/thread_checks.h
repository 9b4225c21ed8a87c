/* SPDX-License-Identifier: BSD-2-Clause */
/* Select the threads to stop for samples. */
#ifndef TALLY_HOSTS_USER_THREAD_CHECKS_H
#define TALLY_HOSTS_USER_THREAD_CHECKS_H

#include "hosts/user/user_private.h"

/* Check the tasks that are due. Called by the supervisor. */
void user_checks_run(struct tally_user *user);

/* Return the time of the next check (CLOCK_MONOTONIC), or USER_NEVER. */
uint64_t user_checks_next(const struct tally_user *user);

/* Schedule the next check of a task that was stopped when it was last replayed. */
void user_checks_schedule(struct tally_user *user, struct user_task *task);

#endif
