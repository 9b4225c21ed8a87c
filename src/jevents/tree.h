/* SPDX-License-Identifier: BSD-2-Clause */
/* The files in the directory of an architecture, sorted. Internal to jevents. */
#ifndef TALLY_JEVENTS_TREE_H
#define TALLY_JEVENTS_TREE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/vec.h"
#include "jevents/diagnostic.h"

struct tally_tree_file {
	const char *path;
	const char *topic; /* "floating point" */
};

struct tally_tree_map {
	const char *path;
	const char *dir; /* start of the map's names, below the architecture; "": the latter */
};

/* A directory with JSON files, or a file taken by tally_tree_claim(): the source of one model. */
struct tally_tree_dir {
	const char *name; /* relative to the architecture, "arm/cortex-a53"; no suffix */
	const char *path;
	size_t first, nr; /* range of its topics in `files` */
	bool system;      /* called "sys" */
	bool file;
};

struct tally_tree {
	struct tally_arena arena;
	TALLY_VEC(struct tally_tree_dir) dirs;
	TALLY_VEC(struct tally_tree_file) files;
	TALLY_VEC(struct tally_tree_file) standard; /* JSON files directly below the architecture */
	TALLY_VEC(struct tally_tree_map) maps;      /* mapfile.csv*; the architecture's own first */
	size_t unreadable; /* number of unreadable directories (reported); the others were read */
	int error;         /* error of the first of these */
};

/* Scan `path`, with vendor/model/sys as the deepest level. All except directories, *.json and
 * mapfile.csv* is ignored. Returns 0 and a tree that the caller frees; -ENOMEM; or the error of
 * opendir(3) or readdir(3) for `path` itself: -ENOENT if the directory does not exist. */
int tally_tree_scan(const char *path, struct tally_diagnostics *messages,
		    struct tally_tree *ret_tree);

/* Find the directory that a line of a map refers to. Returns NULL if not found. A claimed file has
 * two names, "power8" and "power8.json"; a directory "power8" takes precedence over the first one.
 */
const struct tally_tree_dir *tally_tree_find(const struct tally_tree *tree, const char *name);

/* Convert a JSON file directly below the architecture to a directory with one topic, if a map
 * refers to it, with or without suffix, and no directory has this name. The file then does not
 * provide standard events. Does nothing if the file does not exist. Returns 0 or -ENOMEM. Elements
 * of `dirs` may move. */
int tally_tree_claim(struct tally_tree *tree, const char *name);

void tally_tree_free(struct tally_tree *tree);

/* Return the topic of a file: its name without directory and suffix, with blanks for hyphens. NULL
 * when out of memory. */
const char *tally_topic_of(const char *path, struct tally_arena *arena);

/* Return a directory name as part of a C identifier, with '_' for '/' and '-'. NULL if the result
 * is not an identifier or when out of memory. */
const char *tally_identifier_of(const char *name, struct tally_arena *arena);

#endif
