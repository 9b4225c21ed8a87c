/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write recordings as tables for query engines: a row for each sample, and tables of the stacks,
 * frames and recordings that the samples refer to by ID. docs/dataset.md describes the tables.
 *
 * Files belong to a partition, which is a host and a day (in UTC). Recordings of the same partition
 * that are added one after another share files. Memory use does not depend on the number of
 * samples: the tables of stacks and frames are written and forgotten when they are large. A stack
 * or frame may then be written again; readers must be prepared for this, because several files
 * contain the same stacks anyway.
 */
#ifndef TALLY_DATASET_DATASET_H
#define TALLY_DATASET_DATASET_H

#include <stddef.h>

#include "session/session.h"

enum tally_dataset_table {
	TALLY_DATASET_SAMPLES,
	TALLY_DATASET_STACKS,
	TALLY_DATASET_FRAMES,
	TALLY_DATASET_RECORDINGS,
	TALLY_DATASET_TABLES
};

/* Return the table's name, which is constant: "samples". */
const char *tally_dataset_table_name(enum tally_dataset_table table);

/* The destination of the tables. Callbacks return 0, or -errno, which ends the export. */
struct tally_dataset_output {
	/* Begin the files of all tables in a partition. `date` is "2026-11-29". `host` may contain
	 * any bytes other than NUL, and is not empty. */
	int (*begin)(void *arg, const char *date, const char *host);
	int (*write)(void *arg, enum tally_dataset_table table, const void *bytes, size_t len);
	/* End these files. `name` is their name without extension, which depends on the recordings
	 * in them. It is NULL if an error occurred, and the files must be removed. */
	int (*end)(void *arg, const char *name);
	void *arg;
};

struct tally_dataset_label {
	const char *key, *value;
};

/* Pointers are borrowed until the data set is closed. */
struct tally_dataset_options {
	const char *created_by; /* name and version of this program */
	const char *host;       /* name to use for the host; NULL for the recorded name */
	const struct tally_dataset_label *labels;
	size_t nr_labels;
	bool no_inline; /* without inlined functions */
	/* Leave the functions and lines of files with build IDs to tally_dataset_resolve(). Others,
	 * for example those of the kernel, can only be looked up where the recording was made. */
	bool is_unresolved;
};

/* Number of rows that were written for a recording. */
struct tally_dataset_counts {
	uint64_t samples;
};

struct tally_dataset;

/* Create a data set without files. Returns 0 or -ENOMEM. */
int tally_dataset_open(const struct tally_dataset_options *options,
		       const struct tally_dataset_output *output,
		       struct tally_dataset **ret_dataset);

/* Read a recording to its end, and add its rows. If it is damaged, the rows before the damage are
 * added. Returns 0; -EINVAL for a damaged recording; -EEXIST if it was added before; -ENOMEM;
 * -EOVERFLOW if a number exceeds the limits of the format; an error of the output, or another error
 * as in tally_session_run(). The session emits messages about the recording. After any error except
 * -EINVAL and -EEXIST, nothing more can be added. */
int tally_dataset_add(struct tally_dataset *dataset, struct tally_session *session,
		      struct tally_dataset_counts *ret_counts);

/* Write what is left, unless `ret` is an error, end the files, and free the data set, which may be
 * NULL. Returns `ret` if it is not 0, otherwise the first error, or 0. */
int tally_dataset_close(struct tally_dataset *dataset, int ret);

#endif
