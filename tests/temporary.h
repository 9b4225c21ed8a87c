/* SPDX-License-Identifier: BSD-2-Clause */
/* Temporary directories for tests. */
#ifndef TALLY_TESTS_TEMPORARY_H
#define TALLY_TESTS_TEMPORARY_H

#include <ftw.h>
#include <stdio.h>

static inline int temporary_remove_one(const char *path, const struct stat *st, int flag,
				       struct FTW *ftw)
{
	return remove(path);
}

/* Remove a directory and its contents. Symbolic links are not followed. */
static inline void temporary_remove(const char *path)
{
	(void)nftw(path, temporary_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
