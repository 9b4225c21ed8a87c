/* SPDX-License-Identifier: BSD-2-Clause */
/* Look up cgroups by name or pattern. */
#ifndef TALLY_SAMPLER_CGROUPS_H
#define TALLY_SAMPLER_CGROUPS_H

#include <stdbool.h>

#include "base/vec.h"

struct tally_cgroup_names {
	TALLY_VEC(char *) all;
};

/* Open a cgroup's directory. The name is either a full path or a path below the mount point of
 * cgroup v2 or the perf_event controller. Returns 0, -ENOENT, or an error from open(2). */
int tally_cgroup_open(const char *name, int *ret_fd);

/* Return true if a name is a pattern: an extended regular expression with a character that names of
 * cgroups rarely have. */
bool tally_cgroup_is_pattern(const char *name);

/* Find the cgroups with paths below the mount point that match a pattern. `ret_names` receives
 * their paths, sorted; the caller frees the strings and the vector. Returns 0, -EINVAL if the
 * pattern is wrong, -ENOENT if no cgroups are mounted, -E2BIG if there are too many, or -ENOMEM. */
int tally_cgroups_match(const char *pattern, struct tally_cgroup_names *ret_names);
void tally_cgroup_names_free(struct tally_cgroup_names *names);

#endif
