/* SPDX-License-Identifier: BSD-2-Clause */
#include "base/random_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

/* Before Linux 3.17, there is no getrandom(2). */
static int from_device(void *to, size_t len)
{
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC), error = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, to, len);
	if (got != (ssize_t)len)
		error = got < 0 ? errno : EIO;
	close(fd);
	return -error;
}

int tally_random_bytes(void *to, size_t len)
{
	ssize_t got = getrandom(to, len, GRND_NONBLOCK);

	if (got == (ssize_t)len)
		return 0;
	return got < 0 && errno == ENOSYS ? from_device(to, len) : -EAGAIN;
}
