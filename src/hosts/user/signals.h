/* SPDX-License-Identifier: BSD-2-Clause */
/* The signals that events send. */
#ifndef TALLY_HOSTS_USER_SIGNALS_H
#define TALLY_HOSTS_USER_SIGNALS_H

#include "hosts/user/private.h"

/* Note whether the event's count of REFRESH is used up and the signal for it still to come. */
void user_signals_used_up(struct tally_user *user, struct user_file *file, bool is_used_up);

/* A signal is about to be delivered to a thread that is stopped for it. */
void user_signals_amend(struct tally_user *user, const struct user_task *task);

#endif
