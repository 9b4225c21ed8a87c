/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copy a recording, one record at a time, and add to it. Records are written in the order of the
 * input. A file or a stream can be copied to a file or a stream.
 *
 * Not supported: directories, and recordings with AUX data, because the offsets in their index
 * would be wrong.
 */
#ifndef TALLY_CLI_INJECT_COPY_H
#define TALLY_CLI_INJECT_COPY_H

#include <stdbool.h>

#include "base/str.h"
#include "base/error.h"
#include "tally/perfdata.h"

struct inject_copy {
	struct tally_perfdata *data;
	int to;          /* descriptor of the output */
	bool is_stream;  /* write a stream */
	bool is_ordered; /* read and write the records in the order of their times */
	/* Called for each record before it is copied; may add build IDs, and append records to
	 * `batch`. NULL to copy only. Returns 0, 1 to leave the record out, or -errno. */
	int (*before)(void *arg, struct inject_copy *copy,
		      const struct tally_perfdata_record *record);
	/* Called between pieces, and ends the copy if it returns an error. NULL for nothing. */
	int (*between)(void *arg);
	void *arg, *between_arg;

	/* Private. */
	struct tally_perfdata_writer *writer; /* NULL until all events are known */
	size_t nr_features;                   /* features that were copied */
	struct tally_str batch;               /* records to be written together */
};

/* Copy the recording. Returns 0; -EOPNOTSUPP with the reason in `err`; an error from reading or
 * writing; or the result of a callback. */
int inject_copy_run(struct inject_copy *copy, struct tally_error *err);

/* Add the build ID of a file to the output. Returns 0, -ENOMEM, or -EINVAL if the name is too
 * long. */
int inject_copy_build_id(struct inject_copy *copy, const struct tally_perfdata_build_id *build_id);

#endif
