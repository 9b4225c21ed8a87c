/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors. */
#ifndef TALLY_HOSTS_USER_FILES_H
#define TALLY_HOSTS_USER_FILES_H

#include "hosts/user/private.h"

/* Whoever polls looks again. */
void user_files_wake(const struct tally_user *user);

/* Close all of them. */
void user_files_close(struct tally_user *user);

/* The one of that number; NULL. */
struct user_file *user_file_find(const struct tally_user *user, int fd);

#endif
