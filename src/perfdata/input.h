/* SPDX-License-Identifier: BSD-2-Clause */
/* Split the bytes of a file or a stream into records. */
#ifndef TALLY_PERFDATA_INPUT_H
#define TALLY_PERFDATA_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "perfdata/reader.h"

/* Get the next record of the file. Returns 1, 0 at the end, -EINVAL with the reason in `err`, or
 * another negative errno. */
int tally_input_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
		     struct tally_error *err);

/* Start reading a stream. `first` contains its first `len` bytes, of which `consumed` are already
 * processed; it is copied. Returns 0 or -ENOMEM. */
int tally_input_start_stream(struct tally_perfdata *data, int fd, const uint8_t *first, size_t len,
			     size_t consumed);

/* ---- inflate.c: the contents of COMPRESSED records ----------------------- */

/* Pass a COMPRESSED record to the decoder. The record must stay in memory until
 * tally_inflater_next() returns 0, that is, until it is consumed. Returns 0 or -ENOMEM; a broken
 * body is noted. */
int tally_inflater_feed(struct tally_perfdata *data, const struct tally_raw *container);

/* Get the next expanded record. Returns 1, 0 when more input is needed, -EINVAL, or -ENOMEM. */
int tally_inflater_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
			struct tally_error *err);

/* At the end of the file, note an incomplete record and drop it. */
void tally_inflater_finish(struct tally_perfdata *data);
void tally_inflater_free(struct tally_inflater *inflater);

#endif
