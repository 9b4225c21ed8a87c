/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the names of files. */
#ifndef TALLY_BASE_PATH_H
#define TALLY_BASE_PATH_H

#include <string.h>

/* The last part of a path: what is behind its last slash, or all of it. */
static inline const char *tally_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The same of what is mapped, where "[anon:a/b]" is no path. */
static inline const char *tally_mapped_name(const char *name)
{
	return name[0] == '[' ? name : tally_path_name(name);
}

#endif
