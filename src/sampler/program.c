/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampler/program.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

char *tally_program_find(const char *name)
{
	const char *path = getenv("PATH");
	char full[PATH_MAX];

	if (strchr(name, '/'))
		return is_program(name) ? realpath(name, NULL) : NULL;
	path = path ? path : "/bin:/usr/bin";
	while (*name) {
		size_t len = strcspn(path, ":");

		snprintf(full, sizeof(full), "%.*s/%s", (int)len, len ? path : ".", name);
		if (is_program(full))
			return realpath(full, NULL);
		if (!path[len])
			return NULL;
		path += len + 1;
	}
	return NULL;
}
