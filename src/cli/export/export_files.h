/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a data set: DIR/TABLE/date=DAY/host=NAME/ID.parquet. They are written under other
 * names and renamed when all tables of a partition are complete. Other formats have a single file.
 */
#ifndef TALLY_CLI_EXPORT_FILES_H
#define TALLY_CLI_EXPORT_FILES_H

#include "cli/main/replace.h"
#include "dataset/dataset.h"

struct export_file {
	struct tally_replacement replacement;
	struct tally_str folder;
	bool is_open;
};

/* An all-zero structure, except for `directory`, has no files. */
struct export_files {
	const char *directory; /* borrowed */
	struct export_file files[TALLY_DATASET_TABLES];
	uint64_t bytes; /* written so far to all files */
};

/* Create the directory DIRECTORY/date=DATE/host=HOST, and a file without a name in it. Returns 0 or
 * -errno. Errors of these functions are printed, except -ENOMEM and -EINTR. */
int export_file_begin(struct export_file *file, const char *directory, const char *date,
		      const char *host);

/* Write to a file of `files`. Returns 0 or -errno. */
int export_file_write(struct export_files *files, struct export_file *file, const void *bytes,
		      size_t len);

/* Name the file, which is complete, NAME.ENDING. Returns 0 or -errno. */
int export_file_commit(struct export_file *file, const char *name, const char *ending);

/* Remove the file unless it was committed. Files are closed in reverse order, because each restores
 * the signals that were blocked before it. A file that is not open is left alone. */
void export_file_close(struct export_file *file);

/* Callbacks for struct tally_dataset_output. `arg` is a struct export_files. Errors are printed,
 * except -ENOMEM and -EINTR. */
int export_files_begin(void *arg, const char *date, const char *host);
int export_files_write(void *arg, enum tally_dataset_table table, const void *bytes, size_t len);
int export_files_end(void *arg, const char *name);

#endif
