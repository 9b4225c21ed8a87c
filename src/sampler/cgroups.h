/* SPDX-License-Identifier: BSD-2-Clause */
/* Look up cgroups by name. */
#ifndef TALLY_SAMPLER_CGROUPS_H
#define TALLY_SAMPLER_CGROUPS_H

/* Open a cgroup's directory. The name is either a full path or a path below the mount point of
 * cgroup v2 or the perf_event controller. Returns 0, -ENOENT, or an error from open(2). */
int tally_cgroup_open(const char *name, int *ret_fd);

#endif
