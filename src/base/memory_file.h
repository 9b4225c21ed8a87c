/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in memory, without a name in any directory. */
#ifndef TALLY_BASE_MEMORY_FILE_H
#define TALLY_BASE_MEMORY_FILE_H

#include <stddef.h>

/* Create an empty file in memory. `name` is shown in /proc/PID/maps. Before Linux 3.17, the file is
 * in TMPDIR or /tmp, without a name. Returns a descriptor, which the caller closes, or -errno. */
int tally_memory_file(const char *name);

/* Create a file in memory like tally_memory_file(), with a fixed size, and map it for reading and
 * writing. Other processes can map the file, but cannot truncate it, which would crash this one;
 * before Linux 3.17, they can. The caller unmaps `*ret_memory` and closes `*ret_fd`. Returns 0 or
 * -errno. */
int tally_memory_file_map(const char *name, size_t len, int *ret_fd, void **ret_memory);

#endif
