/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Make a recording of stacks that another program wrote, so that reports, pages and comparisons can
 * show them. docs/commands/report.md describes the accepted formats: a data set of tally export, a
 * Parquet file with a row for each stack, or folded stacks.
 *
 * The recording has the names of functions, files and modules, but not their addresses. It contains
 * no data about the machine, so that no files on this machine are searched.
 */
#ifndef TALLY_IMPORT_IMPORT_H
#define TALLY_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/messages.h"

/* Differences between the input and the recording. */
struct tally_import_notes {
	uint64_t samples;
	uint64_t cut;     /* stacks that were cut because a record cannot contain them */
	uint64_t dropped; /* rows without a weight, or with a weight of 0 or less */
	uint64_t
		missing; /* samples without callers, because the tables do not contain their stack */
};

/* Return true if `path` looks like a data set or a Parquet file. Other files may contain folded
 * stacks. */
bool tally_import_is(const char *path);

/* Read the rows at `path`, or standard input if it is "-", and write a recording of them to the
 * empty file `fd`. Returns 0, or -errno after emitting an error message. */
int tally_import(const char *path, int fd, const struct tally_messages *messages,
		 struct tally_import_notes *ret_notes);

#endif
