/* SPDX-License-Identifier: BSD-2-Clause */
/* The processes' mappings, which are reported to the core for its records. */
#ifndef TALLY_HOSTS_USER_MAPS_H
#define TALLY_HOSTS_USER_MAPS_H

#include "hosts/user/user_private.h"

/* Report executable mappings of the task to the core: all of them after an exec (`anew`), otherwise
 * only the new mappings. The task must be on its CPU. */
void user_maps_emit(struct tally_user *user, struct user_task *task, bool anew);

/* Return whether the mappings should be read again: either `ip` is in none of the reported
 * mappings, or the address space has changed in size, so that callers in the callchain may be in
 * new mappings. */
bool user_maps_need_reading(struct tally_user *user, const struct user_task *task, uint64_t ip,
			    uint64_t space);

/* Copy a process's mappings to its child. */
void user_maps_copy(struct tally_user *user, int32_t from, int32_t to);

/* Forget the mappings of a process that has exited. */
void user_maps_remove(struct tally_user *user, int32_t pid);

#endif
