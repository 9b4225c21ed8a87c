/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread that traces, and the lock that it shares with who calls. */
#ifndef TALLY_HOSTS_USER_SUPERVISOR_H
#define TALLY_HOSTS_USER_SUPERVISOR_H

#include "hosts/user/private.h"

int user_supervisor_start(struct tally_user *user);
void user_supervisor_stop(struct tally_user *user);

/* Take the lock, as somebody who calls. */
void user_lock(struct tally_user *user);
void user_unlock(struct tally_user *user);

/* Have a thread attached, unless it is. With the lock, which is given up meanwhile. 0 or the error
 * of ptrace(2). */
int user_attach(struct tally_user *user, int32_t tid);

/* It has something to do earlier than it thinks. With the lock. */
void user_supervisor_wake(struct tally_user *user);

#endif
