/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look up the functions and lines that an unresolved export left out (tally export --unresolved),
 * in files with the same build IDs. IDs of frames do not change.
 */
#ifndef TALLY_DATASET_DATASET_RESOLVE_H
#define TALLY_DATASET_DATASET_RESOLVE_H

#include "base/error.h"
#include "symbols/symbols.h"

struct tally_dataset_resolve_counts {
	uint64_t frames;   /* frames that had no functions */
	uint64_t resolved; /* those that have one now */
};

/* Bytes of a Parquet file of a data set, and the file that replaces it. */
struct tally_dataset_rewrite {
	const void *bytes;
	size_t len;
	const char *created_by;
	int (*write)(void *arg, const void *bytes, size_t len); /* returns 0 or -errno */
	void *arg;
	struct tally_error err; /* the reason for -EINVAL, -EFBIG and -EOPNOTSUPP */
};

/* Return 1 if a file of the table of recordings has recordings that are not resolved, 0 if it has
 * none; -EINVAL, -EFBIG or -EOPNOTSUPP for a file that is not such a table; or -ENOMEM. */
int tally_dataset_needs_resolve(struct tally_dataset_rewrite *recordings);

/* Write a file of the table of frames with functions and lines. Symbols are looked up in `symbols`,
 * which finds files by build ID. Returns 0; an error as above; or an error of write(). */
int tally_dataset_resolve(struct tally_dataset_rewrite *frames, struct tally_symbols *symbols,
			  struct tally_dataset_resolve_counts *ret_counts);

/* Write a file of the table of recordings in which all are marked as resolved. Returns as
 * tally_dataset_resolve(). */
int tally_dataset_mark_resolved(struct tally_dataset_rewrite *recordings);

#endif
