/* SPDX-License-Identifier: BSD-2-Clause */
/* Iterate over recordings: the project's own and, if installed, those from other tools. */
#ifndef TALLY_TESTS_PERFDATA_FIXTURES_H
#define TALLY_TESTS_PERFDATA_FIXTURES_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FIXTURE_PATH = 512 };

/* Two sets with the same layout: recordings are perfdata/FOLDER/FILE, expected results are in
 * golden/. */
static const struct {
	const char *variable;  /* environment variable that contains the root */
	const char *originals; /* folder with the originals of perfdata/bigendian-twins */
	int nr_files, nr_twins, nr_counted; /* minimum number of each */
} fixture_sets[] = {
	{"TALLY_FIXTURES", "perf61", 75, 20, 55},
	{"TALLY_SHARED_FIXTURES", "quipper", 100, 6, 90},
};

enum { NR_FIXTURE_SETS = sizeof(fixture_sets) / sizeof(fixture_sets[0]) };

/* Return the root of a set, or NULL if it does not exist. Only the second set is optional. */
static inline const char *fixtures_root(int set)
{
	const char *root = getenv(fixture_sets[set].variable);
	struct stat st;

	if (root && !stat(root, &st))
		return root;
	assert_int_not_equal(set, 0);
	return NULL;
}

/* Call `use` for every file in a folder. Returns the number of files. */
static inline int fixtures_each_of(const char *folder, void (*use)(const char *path))
{
	char path[2 * FIXTURE_PATH];
	struct dirent *entry;
	int nr = 0;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		use(path);
		nr++;
	}
	if (dir)
		closedir(dir);
	return nr;
}

/* Call `use` for every file in every folder of perfdata/. Returns the number of files. */
static inline int fixtures_each_of_root(const char *root, void (*use)(const char *path))
{
	char folder[FIXTURE_PATH];
	struct dirent *entry;
	int nr = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/perfdata", root);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(folder, sizeof(folder), "%s/perfdata/%s", root, entry->d_name);
		nr += fixtures_each_of(folder, use);
	}
	if (dir)
		closedir(dir);
	return nr;
}

/* Call `use` for every file in all sets that exist. */
static inline void fixtures_each(void (*use)(const char *path))
{
	for (int set = 0; set < NR_FIXTURE_SETS; set++) {
		const char *root = fixtures_root(set);

		if (root)
			assert_true(fixtures_each_of_root(root, use) >= fixture_sets[set].nr_files);
	}
}

#endif
