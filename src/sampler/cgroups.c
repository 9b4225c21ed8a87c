/* SPDX-License-Identifier: BSD-2-Clause */
/* Look up cgroups by name below the mount point of their file system. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
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

/* ---- patterns ----------------------------------------------------------------- */

enum { DEPTH_MAX = 64, CGROUPS_MAX = 10000 };

bool tally_cgroup_is_pattern(const char *name)
{
	return strpbrk(name, "^$*+?[](){}|\\");
}

struct cgroup_walk {
	const regex_t *pattern;
	struct tally_cgroup_names *names;
	struct tally_str path; /* below the mount point */
	unsigned visited;
};

static int walk_match(struct cgroup_walk *walk)
{
	const char *path = tally_str_text(&walk->path);
	char *copy;
	int ret;

	if (regexec(walk->pattern, path, 0, NULL, 0))
		return 0;
	copy = strdup(*path ? path : "/");
	ret = copy ? tally_vec_push(&walk->names->all, copy) : -ENOMEM;
	if (ret)
		free(copy);
	return ret;
}

/* Walk the cgroups in the directory `fd`, which is closed. */
static int walk_dir(struct cgroup_walk *walk, int fd, int depth)
{
	size_t len = walk->path.len;
	struct dirent *entry;
	DIR *dir = fdopendir(fd);
	int ret = walk_match(walk);

	if (!dir) {
		close(fd);
		return ret;
	}
	while (!ret && depth < DEPTH_MAX && (entry = readdir(dir))) {
		int child;

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		child = openat(dirfd(dir), entry->d_name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (child < 0)
			continue;
		tally_str_addf(&walk->path, "%s%s", len ? "/" : "", entry->d_name);
		ret = walk->visited++ == CGROUPS_MAX ? -E2BIG : tally_str_error(&walk->path);
		if (ret)
			close(child);
		else
			ret = walk_dir(walk, child, depth + 1);
		walk->path.len = len;
		if (walk->path.data)
			walk->path.data[len] = '\0';
	}
	closedir(dir);
	return ret;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void tally_cgroup_names_free(struct tally_cgroup_names *names)
{
	tally_vec_for_each (name, &names->all)
		free(*name);
	tally_vec_free(&names->all);
}

int tally_cgroups_match(const char *pattern, struct tally_cgroup_names *ret_names)
{
	struct tally_cgroup_names names = {0};
	char mount[PATH_MAX];
	regex_t compiled;
	struct cgroup_walk walk = {.pattern = &compiled, .names = &names};
	int ret, fd = -1;

	if (!find_mount(mount, sizeof(mount)))
		return -ENOENT;
	ret = regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB);
	if (ret)
		return ret == REG_ESPACE ? -ENOMEM : -EINVAL;
	ret = open_dir(mount, &fd);
	if (!ret)
		ret = walk_dir(&walk, fd, 0);
	regfree(&compiled);
	tally_str_free(&walk.path);
	if (ret) {
		tally_cgroup_names_free(&names);
		return ret;
	}
	if (names.all.len)
		qsort(names.all.data, names.all.len, sizeof(*names.all.data), by_name);
	*ret_names = names;
	return 0;
}
