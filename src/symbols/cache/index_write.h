/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Index writer. The index is written to a new file in the same directory, which replaces the old
 * index when it is complete. Sections of the old index are kept unless they are written again.
 *
 *	struct tally_index_writer *writer;
 *	ret = tally_index_writer_open(dir, object, size, &writer);
 *	tally_index_writer_begin(writer, TALLY_INDEX_RULES);
 *	tally_index_writer_add(writer, rules, len);
 *	ret = tally_index_writer_close(writer, 0);
 */
#ifndef TALLY_SYMBOLS_CACHE_INDEX_WRITE_H
#define TALLY_SYMBOLS_CACHE_INDEX_WRITE_H

#include "symbols/cache/index_dir.h"

struct tally_index_writer;

/* Begin an index for `object`. `size` is the approximate number of bytes that will be added.
 * Creates the directory if necessary, and removes older indexes if space is needed. Close the
 * writer with an error to abort. Returns 0; -ENOENT if the build-id is too short or the program has
 * no build-id; -ENOSPC; -ENOMEM; or -errno. */
int tally_index_writer_open(struct tally_index_dir *dir, const struct tally_build_id *object,
			    uint64_t size, struct tally_index_writer **ret_writer);

/* Begin a section (only once for each ID), and add data to it. A section without data is removed
 * from the index. Errors are reported by tally_index_writer_close(). */
void tally_index_writer_begin(struct tally_index_writer *writer, enum tally_index_id id);
void tally_index_writer_add(struct tally_index_writer *writer, const void *data, size_t len);

/* Copy the other sections of the old index, replace the old index, and free the writer. Returns 0,
 * `error`, or the writer's first error. The old index is unchanged after an error. */
int tally_index_writer_close(struct tally_index_writer *writer, int error);

#endif
