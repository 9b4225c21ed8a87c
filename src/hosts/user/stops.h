/* SPDX-License-Identifier: BSD-2-Clause */
/* The supervisor's ptrace stop handlers. */
#ifndef TALLY_HOSTS_USER_STOPS_H
#define TALLY_HOSTS_USER_STOPS_H

#include "hosts/user/user_private.h"

/* Start tracing a thread. Returns 0; -ESRCH; -EPERM if settings.executed() rejects the process;
 * -ENOMEM; or an error from PTRACE_SEIZE. */
int user_seize(struct tally_user *user, int32_t tid);

/* Handle a thread's stop, and let the thread continue. */
void user_stop_handle(struct tally_user *user, int32_t tid, int status);

/* Handle a thread's exit: read the thread's values one last time, and then reap the thread. */
void user_exit_handle(struct tally_user *user, int32_t tid);

#endif
