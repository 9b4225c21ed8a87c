/* SPDX-License-Identifier: BSD-2-Clause */
/* What ptrace tells; called by the supervisor. */
#ifndef TALLY_HOSTS_USER_STOPS_H
#define TALLY_HOSTS_USER_STOPS_H

#include "hosts/user/private.h"

/* Trace a thread from now on. 0; -ESRCH; the error of PTRACE_SEIZE; -ENOMEM. */
int user_seize(struct tally_user *user, int32_t tid);

/* A thread stopped: see to it and let it go on. */
void user_stop_handle(struct tally_user *user, int32_t tid, int status);

/* It ended, and can be read for the last time; then it is waited for. */
void user_exit_handle(struct tally_user *user, int32_t tid);

#endif
