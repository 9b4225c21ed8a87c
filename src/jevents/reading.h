/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries read from one model's files, in the order in which they appear in the files. Internal to
 * jevents. */
#ifndef TALLY_JEVENTS_READING_H
#define TALLY_JEVENTS_READING_H

#include "base/arena.h"
#include "base/vec.h"
#include "jevents/jevents_entry.h"
#include "jevents/tree.h"

struct tally_raw_group {
	const char *name, *desc;
};

/* An empty reading is all zero, except for the first four members. */
struct tally_reading {
	struct tally_diagnostics *messages;
	const struct tally_standard *standard;
	const char *core_pmu; /* PMU for events without a unit; NULL for "default_core" */
	bool leave_out;       /* omit files that contain errors, and use the others */
	struct tally_arena arena;
	TALLY_VEC(char *) texts; /* contents of the files */
	TALLY_VEC(const struct tally_source *) sources;
	TALLY_VEC(struct tally_entry) entries;
	TALLY_VEC(struct tally_raw_group) groups;
};

/* Parse a JSON file in memory. The text must outlive the reading. Returns 0 or an error from
 * tally_json_read(). */
int tally_reading_parse(struct tally_reading *reading, const char *path, const char *text,
			size_t len, const struct tally_source **ret_source,
			const struct tally_json_value **ret_root);

/* Add the entries, or the metric groups, of a JSON tree. After an invalid entry, continue in order
 * to report all errors. The valid entries remain until tally_reading_drop(), so that further errors
 * in them can be found. If any metric group is invalid, none of the tree's groups are added.
 * Returns 0, -EINVAL or -ENOMEM. */
int tally_reading_add(struct tally_reading *reading, const struct tally_source *source,
		      const char *topic, const struct tally_json_value *root);

/* Read and add a file. Returns 0, an error from tally_file_read_checked() or tally_json_read(),
 * -EINVAL or -ENOMEM. */
int tally_reading_file(struct tally_reading *reading, const struct tally_tree_file *file);

/* Add all files in a directory of a tree. Continues after a file with errors. Returns 0, the first
 * error, or -ENOMEM. */
int tally_reading_dir(struct tally_reading *reading, const struct tally_tree *tree,
		      const struct tally_tree_dir *dir);

/* Read a tree's standard events. The reading owns their data. Files with errors are skipped.
 * Returns 0, the first error, or -ENOMEM. */
int tally_reading_standard(struct tally_reading *reading, const struct tally_tree *tree,
			   struct tally_standard *standard);

/* Return the number of files with errors. */
size_t tally_reading_wrong(const struct tally_reading *reading);

/* Remove the entries of files with errors. Returns true if there were any. */
bool tally_reading_drop(struct tally_reading *reading);

void tally_reading_free(struct tally_reading *reading);

#endif
