/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index directory. Only the effective user is trusted: directories and files that belong to another
 * user or are writable by others are treated as missing, and so are symbolic links. Write errors
 * are not reported, because nothing is lost.
 */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_DIR_H
#define TALLY_SYMBOLS_CACHE_INDEX_DIR_H

#include "base/str.h"
#include "symbols/cache/index.h"

enum { TALLY_INDEX_LIMIT = 512 << 20 }; /* default limit for all files together */

/* An all-zero struct has no directory. */
struct tally_index_dir {
	char *path;
	uint64_t limit; /* bytes */
	uint64_t used;  /* bytes counted so far, if has_used */
	int fd;         /* open if is_open */
	bool is_open, has_used;
};

/* Append the default index directory: $XDG_CACHE_HOME/tally, or else $HOME/.cache/tally. Returns
 * false if neither variable is an absolute path. */
bool tally_index_default_dir(struct tally_str *path);

/* Open the directory if it exists and can be trusted. Otherwise lookups find nothing, and the first
 * write creates the directory. Returns 0 or -ENOMEM. */
int tally_index_dir_open(const char *path, uint64_t limit, struct tally_index_dir *ret_dir);
void tally_index_dir_close(struct tally_index_dir *dir);

/* Map the index of `object`. Update its timestamp to mark it as used, but at most once a day.
 * Returns 0; -ENOENT if it does not exist; -EPERM if it is not trusted; -EBADMSG; or -errno. */
int tally_index_open(const struct tally_index_dir *dir, const struct tally_build_id *object,
		     struct tally_index *ret_index);

/* Append the file name of `object`'s index. Returns false if the build-id is too short to identify
 * the object. */
bool tally_index_file_name(const struct tally_build_id *object, struct tally_str *name);

/* Create the directory if it does not exist. Its parent directory must belong to the effective
 * user. Returns 0 or -errno. */
int tally_index_dir_create(struct tally_index_dir *dir);

/* Make space for `more` bytes within the limit: remove the least recently used indexes, and files
 * left by killed writers. Returns 0; -ENOSPC if `more` alone exceeds the limit; or -errno. */
int tally_index_dir_evict(struct tally_index_dir *dir, uint64_t more);

#endif
