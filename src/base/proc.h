/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose processes /proc shows. */
#ifndef TALLY_BASE_PROC_H
#define TALLY_BASE_PROC_H

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* What to do where it shows others: for messages. */
#define TALLY_PROC_FIX "mount -t proc proc /proc (unshare: --mount-proc)"

/* Whether the numbers in /proc are those that system calls give and take. In a pid namespace with
 * the /proc of another they are not: what a file there says is of some other process. False also
 * where nothing is mounted. */
static inline bool tally_proc_is_ours(void)
{
	char link[16] = "";
	ssize_t len = readlink("/proc/self", link, sizeof(link) - 1);

	return len > 0 && strtol(link, NULL, 10) == getpid();
}

#endif
