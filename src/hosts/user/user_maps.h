/* SPDX-License-Identifier: BSD-2-Clause */
/* Mappings of processes, as reported in records. */
#ifndef TALLY_HOSTS_USER_MAPS_H
#define TALLY_HOSTS_USER_MAPS_H

#include "hosts/user/user_private.h"

/* Report executable mappings of the task to the core: the new ones, or after an exec (`anew`) all.
 * The task must be on its CPU. */
void user_maps_emit(struct tally_user *user, struct user_task *task, bool anew);

/* Return whether the mappings should be read again: `ip` is in none of those reported, or the
 * address space has changed its size, so that callers may be in new ones. */
bool user_maps_need_reading(struct tally_user *user, const struct user_task *task, uint64_t ip,
			    uint64_t space);

/* Copy the mappings of a process to its child. */
void user_maps_copy(struct tally_user *user, int32_t from, int32_t to);

/* Forget the mappings of a process that ended. */
void user_maps_remove(struct tally_user *user, int32_t pid);

#endif
