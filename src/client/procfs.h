/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The small texts of procfs that tell what a process may do. All take (bytes, length), need no NUL,
 * and leave their outputs alone where the text is none of theirs.
 */
#ifndef TALLY_CLIENT_PROCFS_H
#define TALLY_CLIENT_PROCFS_H

#include "tally/client.h"

/* What /proc/PID/status says of a task's rights. */
struct procfs_status {
	uint64_t effective, permitted, inheritable, bounding, ambient;
	uint64_t pinned; /* bytes */
	int32_t tgid, seccomp, nr_threads, no_new_privileges;
};

/* A whole number, signed, of a sysctl: "-1\n". False if it is none, or has something behind. */
bool procfs_number(const char *data, size_t len, int64_t *ret_value);

/* The lines that are known; the others' members stay as they are. */
void procfs_status_parse(const char *data, size_t len, struct procfs_status *status);

/* The link of a namespace, "user:[4026531837]": its inode. */
bool procfs_namespace(const char *data, size_t len, uint64_t *ret_inode);

#endif
