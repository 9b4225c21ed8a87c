/* SPDX-License-Identifier: BSD-2-Clause */
/* Transport for the running Linux kernel. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tally/client.h"

static int linux_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		      int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);

	/* Before Linux 3.14, there is no PERF_FLAG_FD_CLOEXEC. */
	if (fd < 0 && errno == EINVAL && flags & PERF_FLAG_FD_CLOEXEC) {
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			     flags & ~(unsigned long)PERF_FLAG_FD_CLOEXEC);
		if (fd >= 0)
			(void)fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	}
	return fd < 0 ? -errno : (int)fd;
}

static int linux_close(const struct tally_transport *transport, int fd)
{
	return close(fd) ? -errno : 0;
}

static int64_t linux_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	ssize_t n;

	do {
		n = read(fd, to, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int linux_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		       uintptr_t arg)
{
	int ret = ioctl(fd, request, arg);

	return ret < 0 ? -errno : ret;
}

static int linux_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		      void **ret_memory)
{
	void *memory = mmap(NULL, len, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	*ret_memory = memory;
	return 0;
}

static int linux_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	return munmap(memory, len) ? -errno : 0;
}

static int linux_poll(const struct tally_transport *transport, struct pollfd *polls, size_t nr,
		      int timeout_ms)
{
	int ready = poll(polls, nr, timeout_ms);

	return ready < 0 ? -errno : ready;
}

const struct tally_transport *tally_transport_linux(void)
{
	static const struct tally_transport transport = {
		.name = "linux",
		.open = linux_open,
		.close = linux_close,
		.read = linux_read,
		.ioctl = linux_ioctl,
		.mmap = linux_mmap,
		.munmap = linux_munmap,
		.poll = linux_poll,
	};

	return &transport;
}
