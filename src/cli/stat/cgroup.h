/* SPDX-License-Identifier: BSD-2-Clause */
/* Look up cgroups by name. */
#ifndef TALLY_CLI_STAT_CGROUP_H
#define TALLY_CLI_STAT_CGROUP_H

#include "cli/stat/stat.h"

/* Open the directory of a cgroup, given by its path below the mount of cgroup v2 or of the
 * perf_event controller, or by its full path. Returns 0, -ENOENT, or the error of open(2). */
int stat_cgroup_open(const char *name, int *ret_fd);

#endif
