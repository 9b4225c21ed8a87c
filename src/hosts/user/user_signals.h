/* SPDX-License-Identifier: BSD-2-Clause */
/* Signals sent by events. */
#ifndef TALLY_HOSTS_USER_SIGNALS_H
#define TALLY_HOSTS_USER_SIGNALS_H

#include "hosts/user/user_private.h"

/* Set whether the event's REFRESH count is used up and its signal is pending. */
void user_signals_used_up(struct tally_user *user, struct user_file *file, bool is_used_up);

/* Correct the signal that is about to be delivered to a thread. The thread must be stopped for the
 * delivery. */
void user_signals_amend(struct tally_user *user, const struct user_task *task);

#endif
