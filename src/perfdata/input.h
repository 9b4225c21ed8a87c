/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits the bytes of a file or a stream into records. */
#ifndef TALLY_PERFDATA_INPUT_H
#define TALLY_PERFDATA_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "perfdata/reader.h"

/* Read the next record of the file. Returns 1, 0 at the end, -EINVAL with the reason in `err`, or
 * another negative errno. */
int tally_input_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
		     struct tally_error *err);

/* Start reading a stream. `first` contains the first `len` bytes of the stream, of which `consumed`
 * have already been processed. The bytes are copied. Returns 0 or -ENOMEM. */
int tally_input_start_stream(struct tally_perfdata *data, int fd, const uint8_t *first, size_t len,
			     size_t consumed);

/* ---- inflate.c: the contents of COMPRESSED records ----------------------- */

/* Pass a COMPRESSED record to the decoder. The record must stay in memory until it is consumed,
 * that is, until tally_inflater_next() returns 0. Returns 0 or -ENOMEM. If the body is corrupt,
 * only a note is added. */
int tally_inflater_feed(struct tally_perfdata *data, const struct tally_raw *container);

/* Return the next expanded record. Returns 1, 0 when more input is needed, -EINVAL, or -ENOMEM. */
int tally_inflater_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
			struct tally_error *err);

/* Drop any incomplete record at the end of the file, and add a note about it. */
void tally_inflater_finish(struct tally_perfdata *data);
void tally_inflater_free(struct tally_inflater *inflater);

#endif
