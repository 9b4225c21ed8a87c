/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes bytes at the writer's position. */
#include <errno.h>
#include <limits.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "perfdata/writer.h"

/* Write some of the pieces and advance the position. Return the number of bytes written, -errno
 * from writev(2), or the error from the `writev` option. */
static int64_t put_some(struct tally_perfdata_writer *writer, const struct iovec *iov, int nr)
{
	const struct tally_perfdata_writer_options *options = &writer->options;
	int64_t n;

	do {
		n = options->writev ? options->writev(options->data, iov, nr)
				    : writev(writer->fd, iov, nr);
		if (n < 0 && !options->writev)
			n = -errno;
	} while (n == -EINTR && !options->writev);
	writer->position += n > 0 ? (size_t)n : 0;
	return n;
}

/* If a piece is written only partly, its remainder is written separately. */
int tally_writer_writev(struct tally_perfdata_writer *writer, const struct iovec *iov, int nr)
{
	size_t done = 0; /* bytes of the first piece already written */

	while (nr) {
		struct iovec rest = {(char *)iov->iov_base + done, iov->iov_len - done};
		int64_t n = done ? put_some(writer, &rest, 1)
				 : put_some(writer, iov, TALLY_MIN(nr, IOV_MAX));

		if (n < 0)
			return (int)n;
		for (done += (size_t)n; nr && done >= iov->iov_len; iov++, nr--)
			done -= iov->iov_len;
	}
	return 0;
}

int tally_writer_write(struct tally_perfdata_writer *writer, const void *bytes, size_t len)
{
	struct iovec iov = {(void *)bytes, len};

	return tally_writer_writev(writer, &iov, 1);
}

int tally_writer_write_str(struct tally_perfdata_writer *writer, struct tally_str *str, bool data)
{
	int ret = tally_str_error(str);

	if (!ret && str->len)
		ret = tally_writer_write(writer, str->data, str->len);
	if (!ret && data) {
		writer->data_bytes += str->len;
		writer->raw_bytes += str->len;
	}
	tally_str_free(str);
	return ret;
}

uint32_t tally_writer_attr_size(const struct tally_perfdata_writer *writer)
{
	uint32_t size = PERF_ATTR_SIZE_VER7;

	for (size_t i = 0; i < writer->events.list.len; i++) {
		uint32_t needs = tally_attr_min_size(&writer->events.list.data[i]->pub.attr);

		size = TALLY_MAX(size, needs);
	}
	return size;
}
