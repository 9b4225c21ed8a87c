/* SPDX-License-Identifier: BSD-2-Clause */
/* Walking the borrowed perf.data files, where they are present. */
#ifndef TALLY_TESTS_PERFDATA_FIXTURES_H
#define TALLY_TESTS_PERFDATA_FIXTURES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIXTURE_PATH = 512 };

/* The root of the fixtures, or NULL after saying that they are absent. */
static inline const char *fixtures_root(void)
{
	const char *root = getenv("TALLY_FIXTURES");
	struct stat st;

	if (root && !stat(root, &st))
		return root;
	fprintf(stderr, "skipped: TALLY_FIXTURES names no directory\n");
	return NULL;
}

/* Call `use` for every file of every folder of perfdata/. Returns how many. */
static inline int fixtures_each(const char *root, void (*use)(const char *path))
{
	char folder[FIXTURE_PATH], path[2 * FIXTURE_PATH];
	struct dirent *a, *b;
	int nr = 0;
	DIR *all, *one;

	snprintf(folder, sizeof(folder), "%s/perfdata", root);
	all = opendir(folder);
	while (all && (a = readdir(all))) {
		if (a->d_name[0] == '.')
			continue;
		snprintf(folder, sizeof(folder), "%s/perfdata/%s", root, a->d_name);
		one = opendir(folder);
		while (one && (b = readdir(one))) {
			if (b->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", folder, b->d_name);
			use(path);
			nr++;
		}
		if (one)
			closedir(one);
	}
	if (all)
		closedir(all);
	return nr;
}

#endif
