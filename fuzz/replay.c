/* SPDX-License-Identifier: BSD-2-Clause */
/* Run a fuzz target on files without a fuzzer, to use the corpus as a test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	enum { LIMIT = 64 << 20 };
	char *data;
	size_t len;

	if (tally_file_read(path, LIMIT, &data, &len)) {
		fprintf(stderr, "%s: cannot be read\n", path);
		return -1;
	}
	LLVMFuzzerTestOneInput((const uint8_t *)data, len);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent *entry;
	char path[4096];
	int nr = 0, unread = 0;

	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);

		while (dir && (entry = readdir(dir))) {
			if (entry->d_name[0] == '.')
				continue;
			snprintf(path, sizeof(path), "%s/%s", argv[i], entry->d_name);
			if (replay_file(path))
				unread++;
			else
				nr++;
		}
		if (dir)
			closedir(dir);
	}
	printf("%d inputs replayed\n", nr);
	return nr && !unread ? 0 : 1;
}
