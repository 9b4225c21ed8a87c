/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of a data set: DIR/TABLE/date=DAY/host=NAME/ID.parquet. They are written under other
 * names and renamed when all tables of a partition are complete.
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

/* Callbacks for struct tally_dataset_output. `arg` is a struct export_files. Errors are printed,
 * except -ENOMEM and -EINTR. */
int export_files_begin(void *arg, const char *date, const char *host);
int export_files_write(void *arg, enum tally_dataset_table table, const void *bytes, size_t len);
int export_files_end(void *arg, const char *name);

#endif
