/* SPDX-License-Identifier: BSD-2-Clause */
/* Detect a /proc that belongs to another PID namespace. */
#ifndef TALLY_BASE_PROC_H
#define TALLY_BASE_PROC_H

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* Commands that mount the right /proc, for use in messages. */
#define TALLY_PROC_FIX "mount -t proc proc /proc, or use unshare --mount-proc"

/* Return true if /proc shows the process IDs that system calls use. In a PID namespace with the
 * /proc of another namespace, the IDs differ and the files describe other processes. Also return
 * false if /proc is not mounted. */
static inline bool tally_proc_matches_us(void)
{
	char link[16] = "";
	ssize_t len = readlink("/proc/self", link, sizeof(link) - 1);

	return len > 0 && strtol(link, NULL, 10) == getpid();
}

#endif
