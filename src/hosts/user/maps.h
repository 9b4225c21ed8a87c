/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings of processes, as records tell of them. */
#ifndef TALLY_HOSTS_USER_MAPS_H
#define TALLY_HOSTS_USER_MAPS_H

#include "hosts/user/private.h"

/* Tell the core of the executable mappings of the task, which is on its CPU: those that are new, or
 * after an exec (`anew`) all. */
void user_maps_emit(struct tally_user *user, struct user_task *task, bool anew);

/* Whether it is worth looking again for mappings: `ip` lies in none that was told of, or the
 * address space is of another size than it was, so that callers may lie in new ones. */
bool user_maps_lack(struct tally_user *user, const struct user_task *task, uint64_t ip,
		    uint64_t space);

/* A process was made by another one, and has its mappings. */
void user_maps_copy(struct tally_user *user, int32_t from, int32_t to);

/* A process ended. */
void user_maps_forget(struct tally_user *user, int32_t pid);

#endif
