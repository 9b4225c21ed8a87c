/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write records to a pipe. Its reader may be slow, stuck, gone, or not yet connected. Because
 * signals are received through a descriptor, a write must never block in the kernel. Instead,
 * poll(2) waits for both the pipe and the signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "cli/main/print.h"
#include "cli/record/record_control.h"
#include "cli/record/record_signals.h"
#include "cli/record/record_stream.h"

enum {
	PATIENCE_MS = 1000, /* time to wait for a stuck reader after a termination request */
	/* Interval at which a FIFO is checked for a reader, because the kernel does not report when
	 * a reader opens it. */
	READER_CHECK_MS = 50,
};

/* ---- waiting ------------------------------------------------------------------ */

/* Wait until the pipe accepts more data, a signal or command arrives, or `ms` have passed. */
static int wait_for(struct record *record, int fd, int ms)
{
	struct pollfd polls[] = {
		{record->signals, POLLIN, 0}, {record->control.fd, POLLIN, 0}, {fd, POLLOUT, 0}};

	if (poll(polls, TALLY_ARRAY_SIZE(polls), ms) < 0)
		return errno == EINTR ? 0 : -errno;
	if (polls[0].revents)
		record_signals_read(record);
	return polls[1].revents ? record_control_read(record) : 0;
}

static bool takes_more(int fd)
{
	struct pollfd one = {fd, POLLOUT, 0};

	return poll(&one, 1, 0) > 0;
}

/* Wait for a slow reader. After the first termination request, give up if the reader does not read
 * for PATIENCE_MS; after the second, give up immediately. */
static int wait_for_reader(struct record *record)
{
	int fd = record->output.file.fd, ret;
	uint64_t asked = 0;

	while (!takes_more(fd)) {
		if (record->interrupts > 1)
			return -ETIMEDOUT;
		if (record->interrupts && !asked)
			asked = tally_clock_now();
		if (asked && tally_clock_now() - asked >= PATIENCE_MS * 1000000ull)
			return -ETIMEDOUT;
		ret = wait_for(record, fd, asked ? READER_CHECK_MS : -1);
		if (ret)
			return ret;
	}
	return 0;
}

/* ---- writing ------------------------------------------------------------------- */

/* Write at most PIPE_BUF bytes, because POLLOUT guarantees space for that many bytes in a pipe. */
static ssize_t write_little(int fd, const struct iovec *iov)
{
	return write(fd, iov->iov_base, TALLY_MIN(iov->iov_len, (size_t)PIPE_BUF));
}

static int64_t write_some(struct record *record, const struct iovec *iov, int nr)
{
	struct record_output *output = &record->output;

	for (;;) {
		int ret = output->may_block ? wait_for_reader(record) : 0;
		ssize_t n;

		if (ret)
			return ret;
		n = output->may_block ? write_little(output->file.fd, iov)
				      : writev(output->file.fd, iov, nr);
		if (n >= 0)
			return n;
		if (errno == EAGAIN)
			ret = wait_for_reader(record);
		else if (errno != EINTR)
			ret = -errno;
		if (ret)
			return ret;
	}
}

int64_t record_writev(void *record_, const struct iovec *iov, int nr)
{
	struct record *record = record_;
	struct record_output *output = &record->output;
	int64_t n;

	/* Do not write anything after a failure, because the last record may be incomplete. */
	if (output->file.is_pipe && output->failed)
		return output->failed;
	n = write_some(record, iov, nr);
	if (n < 0 && !output->failed)
		output->failed = (int)n;
	return n;
}

/* ---- opening ------------------------------------------------------------------- */

/* If stdout is a pipe, reopen it, because setting O_NONBLOCK on stdout would affect all processes
 * that share it. */
int record_stream_open_stdout(struct record_output *output)
{
	struct stat st;
	int fd = -1, ret;

	if (fstat(STDOUT_FILENO, &st))
		return -errno;
	ret = tally_recording_file_check_stdout();
	if (ret)
		return ret;
	if (S_ISFIFO(st.st_mode))
		fd = open("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	output->may_block = fd < 0 && !S_ISREG(st.st_mode);
	output->file.fd = fd < 0 ? STDOUT_FILENO : fd;
	return 0;
}

int record_stream_open_fifo(struct record *record)
{
	struct record_output *output = &record->output;
	bool is_printed = record->config->sampling.quiet;
	int ret = 0;

	while (!ret && !record->interrupts) {
		output->file.fd = open(output->file.path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (output->file.fd >= 0)
			return 0;
		if (errno != ENXIO) {
			ret = -errno;
			break;
		}
		if (!is_printed)
			fprintf(stderr, "[ tally record: waiting for a reader of %s ]\n",
				output->file.path);
		is_printed = true;
		ret = wait_for(record, -1, READER_CHECK_MS);
	}
	tally_print_error("cannot write %s: %s", output->file.path,
			  ret ? strerror(-ret) : "no reader opened the FIFO");
	return ret ? ret : -EINTR;
}
