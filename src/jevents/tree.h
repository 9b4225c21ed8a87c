/* SPDX-License-Identifier: BSD-2-Clause */
/* The sorted list of files in an architecture's directory. Internal to jevents. */
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
	const char *dir; /* directory that the map's names are relative to; "" at the top */
};

/* A directory with JSON files, or a file claimed by tally_tree_claim(): the source of one model. */
struct tally_tree_dir {
	const char *name; /* relative to the architecture, no suffix: "arm/cortex-a53" */
	const char *path;
	size_t first, nr; /* range of the directory's files in `files` */
	bool system;      /* the directory is named "sys" */
	bool file;
};

struct tally_tree {
	struct tally_arena arena;
	TALLY_VEC(struct tally_tree_dir) dirs;
	TALLY_VEC(struct tally_tree_file) files;
	TALLY_VEC(struct tally_tree_file) standard; /* JSON files directly below the architecture */
	TALLY_VEC(struct tally_tree_map) maps;      /* mapfile.csv* files, top-level files first */
	size_t unreadable; /* number of unreadable directories, which are reported and skipped */
	int error;         /* error from the first unreadable directory */
};

/* Scan `path`, with vendor/model/sys as the deepest level. Everything except directories, *.json
 * and mapfile.csv* is ignored. Returns 0 and a tree, which the caller frees; -ENOMEM; or an
 * error from opendir(3) or readdir(3) for `path` itself, such as -ENOENT if the directory does
 * not exist. */
int tally_tree_scan(const char *path, struct tally_diagnostics *messages,
		    struct tally_tree *ret_tree);

/* Find the directory that a line of a map refers to. Returns NULL if not found. A claimed file has
 * two names, such as "power8" and "power8.json"; a directory "power8" takes precedence over the
 * first name. */
const struct tally_tree_dir *tally_tree_find(const struct tally_tree *tree, const char *name);

/* Convert a JSON file directly below the architecture to a directory with one topic. This is done
 * if a map refers to the file, with or without its suffix, and no directory has that name. The file
 * then does not provide standard events. Does nothing if the file does not exist. Returns 0 or
 * -ENOMEM. Elements of `dirs` may move. */
int tally_tree_claim(struct tally_tree *tree, const char *name);

void tally_tree_free(struct tally_tree *tree);

/* Return the topic of a file: its name without directory and suffix, with hyphens replaced by
 * spaces. Returns NULL when out of memory. */
const char *tally_topic_of(const char *path, struct tally_arena *arena);

/* Convert a directory name to part of a C identifier, with '/' and '-' replaced by '_'. Returns
 * NULL if the result is not an identifier or when out of memory. */
const char *tally_identifier_of(const char *name, struct tally_arena *arena);

#endif
