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

/* A directory with JSON in it: one model. */
struct tally_tree_dir {
	const char *name; /* below the architecture, "arm/cortex-a53" */
	const char *path;
	size_t first, nr; /* its topics in `files` */
	bool system;      /* called "sys" */
};

struct tally_tree {
	struct tally_arena arena;
	TALLY_VEC(struct tally_tree_dir) dirs;
	TALLY_VEC(struct tally_tree_file) files;
	TALLY_VEC(struct tally_tree_file) standard; /* JSON directly below the architecture */
	TALLY_VEC(struct tally_tree_file) maps;     /* whose names start with mapfile.csv */
};

/* Walk `path`: vendor/model/sys at the deepest; all but directories, *.json and mapfile.csv* is
 * ignored. 0 and a tree that the caller frees; -ENOENT if there is no such directory; -ENOMEM; or
 * the error of opendir(3) or stat(2), told. */
int tally_tree_scan(const char *path, struct tally_diagnostics *messages,
		    struct tally_tree *ret_tree);
void tally_tree_free(struct tally_tree *tree);

/* Topic of a file: its name without directory and suffix, hyphens as blanks. NULL: out of memory.
 */
const char *tally_topic_of(const char *path, struct tally_arena *arena);

/* Directory name as part of a C identifier: '/' and '-' become '_'. NULL if what remains is none,
 * or out of memory. */
const char *tally_identifier_of(const char *name, struct tally_arena *arena);

#endif
