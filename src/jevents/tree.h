/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of one architecture's directory, sorted. Internal to jevents. */
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
	const char *dir; /* below the architecture, where its names start; "" for that itself */
};

/* A directory with JSON in it, or a file that tally_tree_claim() took: one model. */
struct tally_tree_dir {
	const char *name; /* below the architecture, "arm/cortex-a53"; of a file without suffix */
	const char *path;
	size_t first, nr; /* its topics in `files` */
	bool system;      /* called "sys" */
	bool file;
};

struct tally_tree {
	struct tally_arena arena;
	TALLY_VEC(struct tally_tree_dir) dirs;
	TALLY_VEC(struct tally_tree_file) files;
	TALLY_VEC(struct tally_tree_file) standard; /* JSON directly below the architecture */
	TALLY_VEC(struct tally_tree_map) maps; /* mapfile.csv*; the architecture's own are first */
	size_t unreadable; /* directories that could not be read, told; the rest is there */
	int error;         /* of the first of them */
};

/* Walk `path`: vendor/model/sys at the deepest; all but directories, *.json and mapfile.csv* is
 * ignored. 0 and a tree that the caller frees; -ENOMEM; or the error of opendir(3) or readdir(3) on
 * `path` itself: -ENOENT if there is no such directory. */
int tally_tree_scan(const char *path, struct tally_diagnostics *messages,
		    struct tally_tree *ret_tree);

/* The directory that a line of a map names, NULL if there is none. A claimed file has two names,
 * "power8" and "power8.json"; a directory called "power8" has the first one to itself. */
const struct tally_tree_dir *tally_tree_find(const struct tally_tree *tree, const char *name);

/* A JSON file directly below the architecture that a line of a map names, with or without suffix,
 * and that no directory answers to, becomes a directory of one topic. It then has no standard
 * events. Nothing happens if there is no such file. 0 or -ENOMEM; moves the elements of `dirs`. */
int tally_tree_claim(struct tally_tree *tree, const char *name);

void tally_tree_free(struct tally_tree *tree);

/* Topic of a file: its name without directory and suffix, hyphens as blanks. NULL: out of memory.
 */
const char *tally_topic_of(const char *path, struct tally_arena *arena);

/* Directory name as part of a C identifier: '/' and '-' become '_'. NULL if what remains is none,
 * or out of memory. */
const char *tally_identifier_of(const char *name, struct tally_arena *arena);

#endif
