/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parsers for the small procfs files that describe a process's privileges. All parsers take (bytes,
 * length), do not require a NUL, and leave their outputs unchanged if the text does not have the
 * expected format.
 */
#ifndef TALLY_CLIENT_PROCFS_H
#define TALLY_CLIENT_PROCFS_H

#include "tally/client.h"

/* A task's privileges from /proc/PID/status. */
struct procfs_status {
	uint64_t effective, permitted, inheritable, bounding, ambient;
	uint64_t pinned; /* in bytes */
	int32_t tgid, seccomp, nr_threads, no_new_privileges;
};

/* Parse a sysctl that is a signed integer, such as "-1\n". Only white space may follow the number.
 * Returns false for any other text. */
bool procfs_number(const char *data, size_t len, int64_t *ret_value);

/* Parse the known lines. The members for missing lines remain unchanged. */
void procfs_status_parse(const char *data, size_t len, struct procfs_status *status);

/* Parse a namespace link such as "user:[4026531837]" and return its inode number. */
bool procfs_namespace(const char *data, size_t len, uint64_t *ret_inode);

#endif
