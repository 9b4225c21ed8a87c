/* SPDX-License-Identifier: BSD-2-Clause */
/* Look up cgroups by name below the mount point of their file system. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "sampler/cgroups.h"

/* Find the mount point of the cgroup v1 perf_event controller or, if it is not mounted, of cgroup
 * v2. */
static bool find_mount(char *ret_path, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	bool found = false;

	if (!mounts)
		return false;
	while ((entry = getmntent(mounts))) {
		bool old = !strcmp(entry->mnt_type, "cgroup") && hasmntopt(entry, "perf_event");

		if (!old && strcmp(entry->mnt_type, "cgroup2"))
			continue;
		found = true;
		snprintf(ret_path, size, "%s", entry->mnt_dir);
		if (old)
			break;
	}
	endmntent(mounts);
	return found;
}

static int open_dir(const char *path, int *ret_fd)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int tally_cgroup_open(const char *name, int *ret_fd)
{
	char mount[PATH_MAX], path[2 * PATH_MAX];

	if (strlen(name) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!find_mount(mount, sizeof(mount)))
		return -ENOENT;
	if (!strncmp(name, mount, strlen(mount)))
		return open_dir(name, ret_fd);
	snprintf(path, sizeof(path), "%s/%s", mount, name);
	return open_dir(path, ret_fd);
}
