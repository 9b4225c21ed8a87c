/* SPDX-License-Identifier: BSD-2-Clause */
/* Handling of ptrace stops, by the supervisor. */
#ifndef TALLY_HOSTS_USER_STOPS_H
#define TALLY_HOSTS_USER_STOPS_H

#include "hosts/user/user_private.h"

/* Trace a thread from now on. Returns 0; -ESRCH; -EPERM if settings.executed() rejects it; the
 * error of PTRACE_SEIZE; -ENOMEM. */
int user_seize(struct tally_user *user, int32_t tid);

/* Handle the stop of a thread, and let it continue. */
void user_stop_handle(struct tally_user *user, int32_t tid, int status);

/* Handle a thread that ended: read it for the last time, and then wait for it. */
void user_exit_handle(struct tally_user *user, int32_t tid);

#endif
