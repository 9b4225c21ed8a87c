/* SPDX-License-Identifier: BSD-2-Clause */
/* The tracer thread, and the lock that it shares with callers of the host. */
#ifndef TALLY_HOSTS_USER_SUPERVISOR_H
#define TALLY_HOSTS_USER_SUPERVISOR_H

#include "hosts/user/user_private.h"

int user_supervisor_start(struct tally_user *user);
void user_supervisor_stop(struct tally_user *user);

/* Take the lock as a caller. */
void user_lock(struct tally_user *user);
void user_unlock(struct tally_user *user);

/* Attach a thread unless it is already attached. Called with user->lock held; the lock is released
 * while waiting. Returns 0 or an error from ptrace(2). */
int user_attach(struct tally_user *user, int32_t tid);

/* Wake the supervisor because it has something to do earlier than expected. Called with user->lock
 * held. */
void user_supervisor_wake(struct tally_user *user);

#endif
