/* SPDX-License-Identifier: BSD-2-Clause */
/* Output to pipes, and the write function for all output. */
#ifndef TALLY_CLI_RECORD_STREAM_H
#define TALLY_CLI_RECORD_STREAM_H

#include <sys/uio.h>

#include "cli/record/record.h"

/* Write to stdout. Returns 0 or -errno; reports an error if stdout is a terminal. */
int record_stream_open_stdout(struct record_output *output);

/* Open the FIFO at `output->path` as soon as it has a reader. Returns 0, or -errno after an error
 * message: -EINTR if an interrupt came first. */
int record_stream_open_fifo(struct record *record);

/* Write function for the perf.data writer; `record` is a struct record. Like writev(2), but handles
 * signals while the reader of a pipe is slow. Returns the number of bytes written, or -errno, which
 * is also saved in `output.failed`. The error is -ETIMEDOUT if an interrupt requests the end and
 * the reader does not read. */
int64_t record_writev(void *record, const struct iovec *iov, int nr);

#endif
