/* SPDX-License-Identifier: BSD-2-Clause */
#include "sim_transport.h"

static const struct sim_transport *self(const struct tally_transport *transport)
{
	return transport->private_data;
}

static int transport_open(const struct tally_transport *transport, struct perf_event_attr *attr,
			  int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	return tally_sim_open(self(transport)->sim, self(transport)->task, attr, pid, cpu, group_fd,
			      flags);
}

static int transport_close(const struct tally_transport *transport, int fd)
{
	return tally_sim_close(self(transport)->sim, self(transport)->task, fd);
}

static int64_t transport_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	return tally_sim_read(self(transport)->sim, self(transport)->task, fd, to, len);
}

static int transport_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
			   uintptr_t arg)
{
	return tally_sim_ioctl(self(transport)->sim, self(transport)->task, fd, request, arg);
}

static int transport_mmap(const struct tally_transport *transport, int fd, size_t len,
			  bool writable, void **ret_memory)
{
	return tally_sim_mmap(self(transport)->sim, self(transport)->task, fd, len, 0, writable,
			      ret_memory);
}

static int transport_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	return tally_sim_munmap(self(transport)->sim, self(transport)->task, memory);
}

void sim_transport_init(struct sim_transport *transport, struct tally_sim *sim,
			struct tally_sim_task *task)
{
	*transport = (struct sim_transport){
		.transport = {.name = "sim",
			      .open = transport_open,
			      .close = transport_close,
			      .read = transport_read,
			      .ioctl = transport_ioctl,
			      .mmap = transport_mmap,
			      .munmap = transport_munmap,
			      .private_data = transport},
		.sim = sim,
		.task = task,
	};
}
