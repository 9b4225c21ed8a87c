/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parsers for the small procfs files that describe the privileges of a process. All take (bytes,
 * length), need no NUL, and leave their outputs unchanged if the text is not as expected.
 */
#ifndef TALLY_CLIENT_PROCFS_H
#define TALLY_CLIENT_PROCFS_H

#include "tally/client.h"

/* Privileges of a task from /proc/PID/status. */
struct procfs_status {
	uint64_t effective, permitted, inheritable, bounding, ambient;
	uint64_t pinned; /* bytes */
	int32_t tgid, seccomp, nr_threads, no_new_privileges;
};

/* Parse a signed integer of a sysctl: "-1\n". Returns false on anything else; only white space may
 * follow the number. */
bool procfs_number(const char *data, size_t len, int64_t *ret_value);

/* Parse the known lines; the members for missing lines stay unchanged. */
void procfs_status_parse(const char *data, size_t len, struct procfs_status *status);

/* Parse the link of a namespace, "user:[4026531837]", and return its inode number. */
bool procfs_namespace(const char *data, size_t len, uint64_t *ret_inode);

#endif
