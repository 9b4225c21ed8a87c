/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/sampler_program.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOTDIR ? -ENOENT : -errno;
	return S_ISREG(st.st_mode) && !eaccess(path, X_OK) ? 0 : -EACCES;
}

/* Search the directories in $PATH for the program. Return -EACCES if none of the matches is
 * executable. */
static int search(const char *name, char full[PATH_MAX])
{
	const char *path = getenv("PATH");
	int found = -ENOENT;

	path = path ? path : "/bin:/usr/bin";
	while (*name) {
		size_t len = strcspn(path, ":");
		int ret;

		snprintf(full, PATH_MAX, "%.*s/%s", (int)len, len ? path : ".", name);
		ret = check_executable(full);
		if (!ret)
			return 0;
		found = ret == -EACCES ? ret : found;
		if (!path[len])
			break;
		path += len + 1;
	}
	return found;
}

int tally_program_check(const char *name)
{
	char full[PATH_MAX];

	return strchr(name, '/') ? check_executable(name) : search(name, full);
}

char *tally_program_find(const char *name)
{
	char full[PATH_MAX];

	if (strchr(name, '/'))
		return check_executable(name) ? NULL : realpath(name, NULL);
	return search(name, full) ? NULL : realpath(full, NULL);
}
