/* SPDX-License-Identifier: BSD-2-Clause */
/* Output to pipes, and the write callback for all output. */
#ifndef TALLY_CLI_RECORD_STREAM_H
#define TALLY_CLI_RECORD_STREAM_H

#include <sys/uio.h>

#include "cli/record/record.h"

/* Set up output to stdout. Returns 0 or -errno; prints an error if stdout is a terminal. */
int record_stream_open_stdout(struct record_output *output);

/* Open the FIFO at `output->path` as soon as it has a reader. Returns 0, or prints an error and
 * returns -errno (-EINTR if interrupted before a reader arrived). */
int record_stream_open_fifo(struct record *record);

/* Write callback for the perf.data writer; `record` is a struct record. Works like writev(2), but
 * handles signals while a pipe's reader is slow. Returns the number of bytes written, or -errno,
 * which is also saved in `output.failed`. The error is -ETIMEDOUT if termination was requested by
 * an interrupt and the reader does not read. */
int64_t record_writev(void *record, const struct iovec *iov, int nr);

#endif
