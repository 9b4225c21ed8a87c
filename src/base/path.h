/* SPDX-License-Identifier: BSD-2-Clause */
/* Extract file names from paths. */
#ifndef TALLY_BASE_PATH_H
#define TALLY_BASE_PATH_H

#include <string.h>

/* Return the last component of a path: the text after its last slash, or the whole path if it has
 * no slash. */
static inline const char *tally_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Return the last component of a mapping's name. A name such as "[anon:a/b]" is not a path, and is
 * returned unchanged. */
static inline const char *tally_mapped_name(const char *name)
{
	return name[0] == '[' ? name : tally_path_name(name);
}

#endif
