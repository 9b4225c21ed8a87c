/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is to be stopped for a sample. */
#ifndef TALLY_HOSTS_USER_LOOKS_H
#define TALLY_HOSTS_USER_LOOKS_H

#include "hosts/user/private.h"

/* Look at the tasks whose time has come. By the supervisor. */
void user_looks_take(struct tally_user *user);

/* When the next look is due, CLOCK_MONOTONIC; USER_NEVER. */
uint64_t user_looks_next(const struct tally_user *user);

/* A task stood still at what was replayed of it last. */
void user_looks_note(struct tally_user *user, struct user_task *task);

#endif
