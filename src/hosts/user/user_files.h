/* SPDX-License-Identifier: BSD-2-Clause */
/* The user host's file descriptors. */
#ifndef TALLY_HOSTS_USER_FILES_H
#define TALLY_HOSTS_USER_FILES_H

#include "hosts/user/user_private.h"

/* Make all pollers check their descriptors again. */
void user_files_wake(const struct tally_user *user);

/* Close all descriptors. */
void user_files_close(struct tally_user *user);

/* Find the file with this descriptor, or return NULL. */
struct user_file *user_file_find(const struct tally_user *user, int fd);

#endif
