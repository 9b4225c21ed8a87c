/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf's cache of programs and libraries. DIR/PATH/ID contains the files of one version of PATH:
 * "elf" for a program or library, "kallsyms", "vdso" and others. DIR/.build-id/xx/yyyy is a
 * symbolic link to ../../PATH/ID. ID is xxyyyy in hexadecimal digits.
 *
 * Not supported: caches of perf before 4.8, in which PATH/ID is a file; build IDs of one byte.
 */
#ifndef TALLY_CLI_BUILDID_DIR_H
#define TALLY_CLI_BUILDID_DIR_H

#include <stdbool.h>

#include "base/str.h"
#include "base/vec.h"

/* A cached version of a file. */
struct buildid_entry {
	char *id;   /* hexadecimal digits */
	char *name; /* "/usr/bin/ls" or "[vdso]" */
};

struct buildid_entries {
	TALLY_VEC(struct buildid_entry) list; /* sorted by ID */
};

/* List the entries. A missing directory has no entries. Returns 0, -ENOMEM or the error from
 * reading the directory. */
int buildid_dir_list(const char *dir, struct buildid_entries *ret_entries);
/* List the versions of a file, also those without a link. Returns the same errors. */
int buildid_dir_versions(const char *dir, const char *name, struct buildid_entries *ret_entries);
void buildid_entries_free(struct buildid_entries *entries);

/* Append the path of the link of an ID. */
void buildid_dir_link(struct tally_str *out, const char *dir, const char *id);

/* Get the entry with this ID, or return -ENOENT. */
int buildid_dir_get(const char *dir, const char *id, struct buildid_entry *ret_entry);
void buildid_entry_free(struct buildid_entry *entry);

/* Copy the file at `path`, an absolute path without symbolic links, to the cache, unless the cache
 * has a file with this ID. Returns 0 or -errno. */
int buildid_dir_add(const char *dir, const char *path, const char *id);

/* Remove an entry: its files, the link to it, and directories that are empty then. Files that perf
 * does not create are kept. Returns 0; -ENOTEMPTY if there are such files; -EXDEV if the entry is
 * outside the directory, because of a symbolic link; or another -errno. */
int buildid_dir_remove(const char *dir, const struct buildid_entry *entry);

#endif
