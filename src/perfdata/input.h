/* SPDX-License-Identifier: BSD-2-Clause */
/* From the bytes of a file or a stream to records. */
#ifndef TALLY_PERFDATA_INPUT_H
#define TALLY_PERFDATA_INPUT_H

#include <stddef.h>
#include <stdint.h>

#include "perfdata/reader.h"

/* The next record of the file. 1, 0 at the end, -EINVAL with the reason, or -errno. */
int tally_input_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
		     struct tally_error *err);

/* Start a stream whose first `consumed` bytes are in `first`, `len` bytes long. */
int tally_input_start_stream(struct tally_perfdata *data, int fd, const uint8_t *first, size_t len,
			     size_t consumed);

/* ---- inflate.c: the inside of COMPRESSED records ------------------------- */

/* Hand over the body of a COMPRESSED record; it must stay until it is used up, which it is
 * when tally_inflater_next() gives 0. 0, -ENOMEM; a broken body is noted. */
int tally_inflater_feed(struct tally_perfdata *data, const struct tally_raw *container);

/* The next record from inside. 1, 0 when more input is needed, or -EINVAL, -ENOMEM. */
int tally_inflater_next(struct tally_perfdata *data, struct tally_raw *ret_raw,
			struct tally_error *err);

/* Note what is left over at the end of the file. */
void tally_inflater_finish(struct tally_perfdata *data);
void tally_inflater_free(struct tally_inflater *inflater);

#endif
