/* SPDX-License-Identifier: BSD-2-Clause */
/* Backend for the running kernel. Programs get the same results as without the server. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arith.h"
#include "emulate/backend.h"
#include "tally/abi.h"

struct linux_event {
	int fd;
	void *wakes;
	bool watched;
	bool redirected; /* records go to another event's ring */
	uint32_t nr_mappings;
};

struct linux_mapping {
	void *memory;
	size_t len;
	int fd; /* descriptor sent to the program */
};

/* Requests that take no pointer, or for which the server passes a pointer to its own memory. */
static const uint32_t requests[] = {
	(uint32_t)PERF_EVENT_IOC_ENABLE,
	(uint32_t)PERF_EVENT_IOC_DISABLE,
	(uint32_t)PERF_EVENT_IOC_REFRESH,
	(uint32_t)PERF_EVENT_IOC_RESET,
	(uint32_t)PERF_EVENT_IOC_PERIOD,
	(uint32_t)PERF_EVENT_IOC_SET_OUTPUT,
	(uint32_t)PERF_EVENT_IOC_ID,
	(uint32_t)PERF_EVENT_IOC_SET_FILTER,
	(uint32_t)PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	(uint32_t)PERF_EVENT_IOC_PAUSE_OUTPUT,
};

static int linux_open(struct tally_emulate_backend *backend,
		      const struct tally_emulate_caller *caller,
		      const struct tally_emulate_open *open, void **ret_event)
{
	const struct linux_event *group = open->group;
	int group_fd = open->is_group_bad ? INT_MAX : -1;
	struct linux_event *event;
	long fd;

	/* The cgroup descriptor belongs to the caller's process, so it cannot be used here. */
	if (open->flags & PERF_FLAG_PID_CGROUP)
		return -EBADF;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	fd = syscall(SYS_perf_event_open, open->attr, open->pid ? open->pid : caller->tid,
		     open->cpu, group ? group->fd : group_fd, open->flags | PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		free(event);
		return -errno;
	}
	*event = (struct linux_event){.fd = (int)fd, .wakes = open->wakes};
	*ret_event = event;
	return 0;
}

/* Watch the event while it has a buffer. Without a buffer, the kernel reports POLLHUP. */
static void watch(struct tally_emulate_backend *backend, struct linux_event *event)
{
	event->watched = event->watched || !backend->watch(event->wakes, event->fd);
}

static void unwatch(struct tally_emulate_backend *backend, struct linux_event *event)
{
	if (event->watched)
		backend->unwatch(event->wakes, event->fd);
	event->watched = false;
}

static void linux_close(struct tally_emulate_backend *backend, void *event)
{
	struct linux_event *own = event;

	unwatch(backend, own);
	close(own->fd);
	free(own);
}

static int64_t linux_read(struct tally_emulate_backend *backend,
			  const struct tally_emulate_caller *caller, void *event, void *to,
			  size_t len)
{
	const struct linux_event *own = event;
	ssize_t ret = read(own->fd, to, len);

	return ret < 0 ? -errno : ret;
}

static int linux_control(struct tally_emulate_backend *backend,
			 const struct tally_emulate_caller *caller, void *event, uint32_t request,
			 uintptr_t argument, void *other)
{
	struct linux_event *own = event;
	const struct linux_event *target = other;
	size_t i = 0;

	while (i < TALLY_ARRAY_SIZE(requests) && requests[i] != request)
		i++;
	if (i == TALLY_ARRAY_SIZE(requests))
		return -ENOTTY;
	if (request == (uint32_t)PERF_EVENT_IOC_SET_OUTPUT)
		argument = target ? (uintptr_t)target->fd : (uintptr_t)-1;
	if (ioctl(own->fd, request, argument))
		return -errno;
	if (request != (uint32_t)PERF_EVENT_IOC_SET_OUTPUT)
		return 0;
	own->redirected = target;
	if (target)
		watch(backend, own);
	else if (!own->nr_mappings)
		unwatch(backend, own);
	return 0;
}

/* Map the ring in this process as well, so that it exists while its event is watched. The kernel
 * checks the length, offset and permissions, and the program's mapping of the same descriptor gets
 * the same pages. */
static int linux_map(struct tally_emulate_backend *backend,
		     const struct tally_emulate_caller *caller, void *event, size_t len,
		     uint64_t offset, bool writable, struct tally_emulate_map *ret_map)
{
	struct linux_event *own = event;
	struct linux_mapping *mapping = malloc(sizeof(*mapping));
	int ret;

	if (!mapping)
		return -ENOMEM;
	*mapping = (struct linux_mapping){
		.len = len,
		.memory = mmap(NULL, len, writable ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED,
			       own->fd, (off_t)offset),
		.fd = -1};
	if (mapping->memory != MAP_FAILED)
		mapping->fd = fcntl(own->fd, F_DUPFD_CLOEXEC, 0);
	if (mapping->fd < 0) {
		ret = -errno;
		if (mapping->memory != MAP_FAILED)
			munmap(mapping->memory, len);
		free(mapping);
		return ret;
	}
	own->nr_mappings++;
	watch(backend, own);
	*ret_map = (struct tally_emulate_map){mapping->fd, offset, mapping};
	return 0;
}

static void linux_unmap(struct tally_emulate_backend *backend, void *event, void *mapping)
{
	struct linux_mapping *own = mapping;
	struct linux_event *mapped = event;

	if (!--mapped->nr_mappings && !mapped->redirected)
		unwatch(backend, mapped);
	munmap(own->memory, own->len);
	free(own);
}

int tally_emulate_linux_new(struct tally_emulate_backend **ret_backend)
{
	struct tally_emulate_backend *backend = malloc(sizeof(*backend));

	if (!backend)
		return -ENOMEM;
	*backend = (struct tally_emulate_backend){
		.name = "linux",
		.event_open = linux_open,
		.event_close = linux_close,
		.event_read = linux_read,
		.event_control = linux_control,
		.ring_map = linux_map,
		.ring_unmap = linux_unmap,
		.wait_fd = -1,
	};
	*ret_backend = backend;
	return 0;
}

void tally_emulate_linux_free(struct tally_emulate_backend *backend)
{
	free(backend);
}
