/* SPDX-License-Identifier: BSD-2-Clause */
/* The pid namespace of /proc. */
#ifndef TALLY_BASE_PROC_H
#define TALLY_BASE_PROC_H

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* The command that mounts the right /proc, for messages. */
#define TALLY_PROC_FIX "mount -t proc proc /proc (unshare: --mount-proc)"

/* Return true if the process ids in /proc are those that system calls use. In a pid namespace with
 * the /proc of another namespace they are not, and its files describe other processes. Also return
 * false if /proc is not mounted. */
static inline bool tally_proc_matches_us(void)
{
	char link[16] = "";
	ssize_t len = readlink("/proc/self", link, sizeof(link) - 1);

	return len > 0 && strtol(link, NULL, 10) == getpid();
}

#endif
