/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of file names. */
#ifndef TALLY_BASE_PATH_H
#define TALLY_BASE_PATH_H

#include <string.h>

/* Return the last component of a path: the text after its last slash, or all of it. */
static inline const char *tally_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Like tally_path_name(), for the name of a mapping: "[anon:a/b]" is not a path. */
static inline const char *tally_mapped_name(const char *name)
{
	return name[0] == '[' ? name : tally_path_name(name);
}

#endif
