/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory of indexes. Only the effective user is trusted: a directory or file that belongs to
 * another user, or that others may write to, is treated as missing. So is a symbolic link. A
 * failure to write is not reported, as nothing is lost.
 */
#ifndef TALLY_SYMBOLS_INDEX_DIR_H
#define TALLY_SYMBOLS_INDEX_DIR_H

#include "base/str.h"
#include "symbols/index.h"

enum { TALLY_INDEX_LIMIT = 512 << 20 }; /* of all files together, by default */

/* All zero: no directory. */
struct tally_index_dir {
	char *path;
	uint64_t limit; /* bytes */
	uint64_t used;  /* bytes counted so far, if has_used */
	int fd;         /* open if is_open */
	bool is_open, has_used;
};

/* Append the default directory of indexes: $XDG_CACHE_HOME/tally, or else $HOME/.cache/tally.
 * Returns false if neither variable is an absolute path. */
bool tally_index_default_dir(struct tally_str *path);

/* Open the directory if it exists and can be trusted. Otherwise reads find nothing, and the first
 * write creates it. Returns 0 or -ENOMEM. */
int tally_index_dir_open(const char *path, uint64_t limit, struct tally_index_dir *ret_dir);
void tally_index_dir_close(struct tally_index_dir *dir);

/* Map the index of `object`, and update its timestamp, at most once a day, to mark it as used.
 * Returns 0; -ENOENT if it does not exist; -EPERM if it is not trusted; -EBADMSG; or -errno. */
int tally_index_open(const struct tally_index_dir *dir, const struct tally_build_id *object,
		     struct tally_index *ret_index);

/* Append the file name of the index of `object`. Returns false if the build-id is too short to
 * distinguish objects. */
bool tally_index_file_name(const struct tally_build_id *object, struct tally_str *name);

/* Create the directory if it does not exist. The directory above must belong to the effective user.
 * Returns 0 or -errno. */
int tally_index_dir_create(struct tally_index_dir *dir);

/* Make space for `more` bytes within the limit: remove the least recently used indexes, and files
 * left by writers that were killed. Returns 0; -ENOSPC if `more` alone exceeds the limit; or
 * -errno. */
int tally_index_dir_evict(struct tally_index_dir *dir, uint64_t more);

#endif
