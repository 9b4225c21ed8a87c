/* SPDX-License-Identifier: BSD-2-Clause */
/* Find files in a directory tree. */
#ifndef TALLY_BASE_FOLDER_H
#define TALLY_BASE_FOLDER_H

/* Call `fn` for each regular file below `folder` with a name that ends with `suffix`, in the order
 * of the paths. Names that begin with a dot are left out. Symbolic links to files are followed, but
 * not those to directories, which could form a loop. At most eight levels of directories are
 * searched. `fn` returns 0; any other value ends the search and is returned. Returns 0, -ENOMEM, or
 * the error from reading a directory, for which `failed` is called. */
int tally_folder_walk(const char *folder, const char *suffix,
		      int (*fn)(void *arg, const char *path),
		      void (*failed)(void *arg, const char *path, int code), void *arg);

#endif
