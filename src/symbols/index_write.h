/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing an index: into a new file beside it, which takes its name when all is there. Sections of
 * the index that was there stay, unless they are written anew.
 *
 *	struct tally_index_writer *writer;
 *	ret = tally_index_writer_open(dir, object, size, &writer);
 *	tally_index_writer_begin(writer, TALLY_INDEX_RULES);
 *	tally_index_writer_add(writer, rules, len);
 *	ret = tally_index_writer_close(writer, 0);
 */
#ifndef TALLY_SYMBOLS_INDEX_WRITE_H
#define TALLY_SYMBOLS_INDEX_WRITE_H

#include "symbols/index_dir.h"

struct tally_index_writer;

/* Begin an index of `object`; `size` is about as many bytes as will be added. The directory is made
 * if need be, and older indexes go if there is no room. 0; -ENOENT for an id that is too short, or
 * a program without one; -ENOSPC; -ENOMEM; or -errno. The writer is given up by closing it. */
int tally_index_writer_open(struct tally_index_dir *dir, const struct tally_build_id *object,
			    uint64_t size, struct tally_index_writer **ret_writer);

/* Begin a section, each at most once, and add to it. One that nothing is added to is taken out of
 * the index. What goes wrong is remembered. */
void tally_index_writer_begin(struct tally_index_writer *writer, enum tally_index_id id);
void tally_index_writer_add(struct tally_index_writer *writer, const void *data, size_t len);

/* Take over what the old index has else, and put the new one in its place; free the writer. 0, or
 * `error` or what went wrong otherwise: then nothing has changed. */
int tally_index_writer_close(struct tally_index_writer *writer, int error);

#endif
