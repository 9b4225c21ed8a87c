/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries of one model's files, in the order of files and objects. Internal to jevents. */
#ifndef TALLY_JEVENTS_READING_H
#define TALLY_JEVENTS_READING_H

#include "base/arena.h"
#include "base/vec.h"
#include "jevents/entry.h"
#include "jevents/tree.h"

struct tally_raw_group {
	const char *name, *desc;
};

/* All zero but for the first three members is an empty reading. */
struct tally_reading {
	struct tally_diagnostics *messages;
	const struct tally_standard *standard;
	const char *core_pmu; /* of events without a unit; NULL for "default_core" */
	bool leave_out;       /* files with errors are left out whole, and the others are read */
	struct tally_arena arena;
	TALLY_VEC(char *) texts; /* the files' bytes */
	TALLY_VEC(const struct tally_source *) sources;
	TALLY_VEC(struct tally_entry) entries;
	TALLY_VEC(struct tally_raw_group) groups;
};

/* The same for bytes in memory, which must outlive the reading. */
int tally_reading_parse(struct tally_reading *reading, const char *path, const char *text,
			size_t len, const struct tally_source **ret_source,
			const struct tally_json_value **ret_root);

/* Add the entries, or the metric groups, of one JSON tree. Goes on after an entry that is wrong, so
 * that all are told; the others are there, for more errors to be found in them, until
 * tally_reading_drop(). Of wrong groups there are none. 0, -EINVAL or -ENOMEM. */
int tally_reading_add(struct tally_reading *reading, const struct tally_source *source,
		      const char *topic, const struct tally_json_value *root);

/* Open and add a file. */
int tally_reading_file(struct tally_reading *reading, const struct tally_tree_file *file);

/* All files of a tree's directory; goes on after one that is wrong. The first error, or -ENOMEM. */
int tally_reading_dir(struct tally_reading *reading, const struct tally_tree *tree,
		      const struct tally_tree_dir *dir);

/* The standard events of a tree: `reading` keeps what they point to. A file with errors adds none,
 * and the others are read. The first error, or -ENOMEM. */
int tally_reading_standard(struct tally_reading *reading, const struct tally_tree *tree,
			   struct tally_standard *standard);

/* The number of files that have errors. */
size_t tally_reading_wrong(const struct tally_reading *reading);

/* Remove the entries of files that have errors; whether there were any. */
bool tally_reading_drop(struct tally_reading *reading);

void tally_reading_free(struct tally_reading *reading);

#endif
