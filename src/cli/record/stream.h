/* SPDX-License-Identifier: BSD-2-Clause */
/* Output to pipes, and the function through which all output is written. */
#ifndef TALLY_CLI_RECORD_STREAM_H
#define TALLY_CLI_RECORD_STREAM_H

#include <sys/uio.h>

#include "cli/record/record.h"

/* Take standard output. 0 or -errno; told if it is a terminal. */
int record_stream_open_stdout(struct record_output *output);

/* Open the FIFO at `output->path` once it has a reader. 0 or -errno, which was told: -EINTR if the
 * end was asked for first. */
int record_stream_open_fifo(struct record *record);

/* What the writer writes with; `record` is a struct record. As writev(2), but it sees signals while
 * the reader of a pipe is slow. The number of bytes written, or -errno, which is kept in
 * `output.failed`: -ETIMEDOUT if the end was asked for and the reader does not read. */
int64_t record_writev(void *record, const struct iovec *iov, int nr);

#endif
