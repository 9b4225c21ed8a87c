/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory of indexes, and who is trusted there: nobody but the user that we are. A directory
 * or file of another user, or one that others may write to, is as if it were not there; so is a
 * symbolic link. What cannot be written is not written: nobody is told, as nothing is lost.
 */
#ifndef TALLY_SYMBOLS_INDEX_DIR_H
#define TALLY_SYMBOLS_INDEX_DIR_H

#include "base/str.h"
#include "symbols/index.h"

enum { TALLY_INDEX_LIMIT = 512 << 20 }; /* of all files together, if the user says nothing */

/* All zero is none. */
struct tally_index_dir {
	char *path;
	uint64_t limit; /* bytes */
	uint64_t used;  /* bytes, as far as they were counted, once has_used */
	int fd;         /* open if is_open */
	bool is_open, has_used;
};

/* Append where indexes are by default: $XDG_CACHE_HOME/tally, else $HOME/.cache/tally. False if
 * neither is set to an absolute path. */
bool tally_index_default_dir(struct tally_str *path);

/* Open the directory if it is there and is to be trusted; if not, reading finds nothing, and the
 * first writing makes it. 0 or -ENOMEM. */
int tally_index_dir_open(const char *path, uint64_t limit, struct tally_index_dir *ret_dir);
void tally_index_dir_close(struct tally_index_dir *dir);

/* Map the index of `object`, and note once a day that it was of use. 0; -ENOENT if there is none;
 * -EPERM if it is not to be trusted; -EBADMSG; or -errno. */
int tally_index_open(const struct tally_index_dir *dir, const struct tally_build_id *object,
		     struct tally_index *ret_index);

/* The file name of the index of `object`. False if the id is too short to tell objects apart. */
bool tally_index_file_name(const struct tally_build_id *object, struct tally_str *name);

/* Make the directory, if it is not there, in one that is ours. 0 or -errno. */
int tally_index_dir_make(struct tally_index_dir *dir);

/* See to it that `more` bytes can be added without passing the limit: the indexes that were not
 * used for longest are removed, and what writers that were killed left behind. 0, or -ENOSPC if
 * they are too many by themselves. */
int tally_index_dir_make_room(struct tally_index_dir *dir, uint64_t more);

#endif
