/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/str.h"

enum { NESTING_MAX = 8 };

struct folder_walk {
	const char *suffix;
	int (*fn)(void *arg, const char *path);
	void (*failed)(void *arg, const char *path, int code);
	void *arg;
};

static bool ends_with(const char *path, const char *suffix)
{
	size_t len = strlen(path), end = strlen(suffix);

	return len > end && !strcmp(path + len - end, suffix);
}

static int folder_walk(const struct folder_walk *walk, const char *folder, unsigned depth);

static int entry_walk(const struct folder_walk *walk, const char *path, unsigned depth)
{
	struct stat st, target;

	if (lstat(path, &st))
		return 0;
	if (S_ISDIR(st.st_mode))
		return depth < NESTING_MAX ? folder_walk(walk, path, depth + 1) : 0;
	if (stat(path, &target) || !S_ISREG(target.st_mode) || !ends_with(path, walk->suffix))
		return 0;
	return walk->fn(walk->arg, path);
}

static int folder_walk(const struct folder_walk *walk, const char *folder, unsigned depth)
{
	struct dirent **entries = NULL;
	int nr = scandir(folder, &entries, NULL, alphasort), ret = nr < 0 ? -errno : 0;

	if (ret)
		walk->failed(walk->arg, folder, ret);
	for (int i = 0; i < nr; i++) {
		struct tally_str path = {0};

		tally_str_addf(&path, "%s/%s", folder, entries[i]->d_name);
		ret = ret ? ret : tally_str_error(&path);
		if (!ret && entries[i]->d_name[0] != '.')
			ret = entry_walk(walk, path.data, depth);
		tally_str_free(&path);
		free(entries[i]);
	}
	free(entries);
	return ret;
}

int tally_folder_walk(const char *folder, const char *suffix,
		      int (*fn)(void *arg, const char *path),
		      void (*failed)(void *arg, const char *path, int code), void *arg)
{
	const struct folder_walk walk = {suffix, fn, failed, arg};

	return folder_walk(&walk, folder, 0);
}
