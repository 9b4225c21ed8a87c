/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Backend for programs that use the ABI of the design document (tally/classic.h). It translates
 * each call for another backend, which uses the current ABI. A mapped event has a current-ABI ring,
 * which only this file reads, and a classic ring in a memfd, which programs map. The classic ring
 * is updated at each call, before each wakeup, and every PERIOD_NS for programs that only read
 * data_head.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/linked_list.h"
#include "base/memory_file.h"
#include "emulate/backend.h"
#include "emulate/protocol.h"
#include "tally/abi.h"
#include "tally/classic.h"

enum { PERIOD_NS = 4000000 };

struct classic_backend {
	struct tally_emulate_backend backend, *inner;
	struct tally_list events;
	uint32_t page_size;
	uint32_t nr_rings;
	int timer_fd; /* armed while any ring exists */
	_Alignas(16) uint8_t bytes[TALLY_EMULATE_DATA_MAX];
	_Alignas(16) uint8_t scratch[TALLY_CLASSIC_SCRATCH];
};

/* An event's rings, shared by all of the event's mappings. */
struct classic_rings {
	struct tally_classic_ring ring;
	size_t len; /* size of the classic ring, including its header page */
	int fd;     /* memfd of the classic ring */
	void *inner_mapping;
	uint32_t nr_mappings;
};

struct translated_event {
	struct tally_list link;
	void *inner, *leader; /* `leader`: the group leader's inner event */
	int32_t tid;
	struct tally_classic_attr attr;
	uint64_t id;
	struct classic_rings *rings; /* NULL if not mapped */
};

static struct classic_backend *classic_of(struct tally_emulate_backend *backend)
{
	return tally_container_of(backend, struct classic_backend, backend);
}

/* ---- rings ----------------------------------------------------------------------------------- */

static void all_rings_update(struct classic_backend *self)
{
	if (!self->nr_rings)
		return;
	tally_list_for_each (link, &self->events) {
		struct translated_event *event =
			tally_container_of(link, struct translated_event, link);

		if (event->rings)
			tally_classic_ring_update(&event->rings->ring);
	}
}

static void timer_set(struct classic_backend *self)
{
	long ns = self->nr_rings ? PERIOD_NS : 0;
	const struct itimerspec times = {{0, ns}, {0, ns}};

	timerfd_settime(self->timer_fd, 0, &times, NULL);
}

static void rings_free(struct classic_backend *self, struct translated_event *event,
		       struct classic_rings *rings)
{
	if (rings->ring.from)
		munmap(rings->ring.from, rings->ring.page_size + rings->ring.from_size);
	if (rings->inner_mapping)
		self->inner->ring_unmap(self->inner, event->inner, rings->inner_mapping);
	if (rings->ring.to)
		munmap(rings->ring.to, rings->len);
	if (rings->fd >= 0)
		close(rings->fd);
	free(rings);
}

/* Free the rings. Called when the last mapping has been removed. */
static void event_free_rings(struct classic_backend *self, struct translated_event *event)
{
	struct classic_rings *rings = event->rings;

	event->rings = NULL;
	self->nr_rings--;
	timer_set(self);
	rings_free(self, event, rings);
}

/* Return the config of the event with this ID. All members of a group belong to this backend, so
 * the lookup always succeeds. */
static uint64_t config_of(void *arg, uint64_t id)
{
	const struct classic_backend *self = arg;

	tally_list_for_each (link, &self->events) {
		struct translated_event *event =
			tally_container_of(link, struct translated_event, link);

		if (event->id == id)
			return event->attr.config;
	}
	return id;
}

/* Map the inner ring. It is mapped writable here, even if the program's mapping is read-only. */
static int inner_map(struct classic_backend *self, const struct tally_emulate_caller *caller,
		     struct translated_event *event, struct classic_rings *rings)
{
	size_t len = rings->ring.page_size + rings->ring.from_size;
	struct tally_emulate_map map;
	int ret = self->inner->ring_map(self->inner, caller, event->inner, len, 0, true, &map);
	void *memory;

	if (ret)
		return ret;
	rings->inner_mapping = map.mapping;
	memory = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, map.fd, (off_t)map.offset);
	ret = memory == MAP_FAILED ? -errno : 0;
	close(map.fd);
	rings->ring.from = ret ? NULL : memory;
	return ret;
}

/* Create the memory for the classic ring. */
static int classic_map(struct classic_rings *rings)
{
	void *memory;
	int ret;

	rings->fd = -1;
	ret = tally_memory_file_map("tally-classic-ring", rings->len, &rings->fd, &memory);
	if (ret)
		return ret;
	rings->ring.to = memory;
	return 0;
}

static int rings_new(struct classic_backend *self, const struct tally_emulate_caller *caller,
		     struct translated_event *event, size_t len)
{
	struct classic_rings *rings = calloc(1, sizeof(*rings));
	int ret;

	if (!rings)
		return -ENOMEM;
	*rings = (struct classic_rings){
		.ring = {.attr = event->attr,
			 .config_of = config_of,
			 .config_arg = self,
			 .page_size = self->page_size,
			 .from_size = tally_classic_from_size(len, self->page_size),
			 .size = len - self->page_size,
			 .scratch = self->scratch},
		.len = len,
		.fd = -1};
	ret = inner_map(self, caller, event, rings);
	if (!ret)
		ret = classic_map(rings);
	if (!ret)
		ret = tally_classic_ring_init(&rings->ring);
	if (ret) {
		rings_free(self, event, rings);
		return ret;
	}
	event->rings = rings;
	self->nr_rings++;
	return 0;
}

static int classic_ring_map(struct tally_emulate_backend *backend,
			    const struct tally_emulate_caller *caller, void *arg, size_t len,
			    uint64_t offset, bool writable, struct tally_emulate_map *ret_map)
{
	struct classic_backend *self = classic_of(backend);
	struct translated_event *event = arg;
	int ret = 0, fd;

	if (offset || len % self->page_size || len <= self->page_size)
		return -EINVAL;
	if (!event->rings)
		ret = rings_new(self, caller, event, len);
	else if (event->rings->len != len)
		ret = -EINVAL;
	if (ret)
		return ret;
	fd = fcntl(event->rings->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		ret = -errno;
		if (!event->rings->nr_mappings)
			event_free_rings(self, event);
		return ret;
	}
	event->rings->nr_mappings++;
	tally_classic_ring_update(&event->rings->ring);
	timer_set(self);
	*ret_map = (struct tally_emulate_map){.fd = fd, .mapping = event->rings};
	return 0;
}

static void classic_ring_unmap(struct tally_emulate_backend *backend, void *arg, void *mapping)
{
	struct translated_event *event = arg;

	if (!--event->rings->nr_mappings)
		event_free_rings(classic_of(backend), event);
}

static void classic_ring_update(struct tally_emulate_backend *backend, void *arg)
{
	struct translated_event *event = arg;

	if (event->rings)
		tally_classic_ring_update(&event->rings->ring);
}

static void classic_wait(struct tally_emulate_backend *backend)
{
	struct classic_backend *self = classic_of(backend);
	uint64_t expired;

	if (self->inner->wait_fd >= 0)
		self->inner->wait(self->inner);
	(void)!read(self->timer_fd, &expired, sizeof(expired));
	all_rings_update(self);
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Open the inner event and get its ID. */
static int inner_open(struct classic_backend *self, const struct tally_emulate_caller *caller,
		      const struct tally_emulate_open *open, struct translated_event *event)
{
	const struct translated_event *group = open->group;
	struct tally_emulate_backend *inner = self->inner;
	struct tally_emulate_open today = *open;
	int ret = tally_classic_check_flags(open->flags);

	memcpy(&event->attr, open->attr, sizeof(event->attr));
	memset(self->bytes, 0, sizeof(self->bytes));
	today.attr = self->bytes;
	today.group = group ? group->inner : NULL;
	if (!ret)
		ret = tally_classic_attr_decode(&event->attr, self->page_size, today.attr, NULL);
	if (!ret)
		ret = inner->event_open(inner, caller, &today, &event->inner);
	if (ret)
		return tally_classic_open_error(&event->attr, ret);
	ret = inner->event_control(inner, caller, event->inner, (uint32_t)PERF_EVENT_IOC_ID,
				   (uintptr_t)&event->id, NULL);
	if (ret)
		inner->event_close(inner, event->inner);
	return ret;
}

static int classic_event_open(struct tally_emulate_backend *backend,
			      const struct tally_emulate_caller *caller,
			      const struct tally_emulate_open *open, void **ret_event)
{
	struct classic_backend *self = classic_of(backend);
	const struct translated_event *group = open->group;
	struct translated_event *event = calloc(1, sizeof(*event));
	int ret;

	if (!event)
		return -ENOMEM;
	self->inner->wake = backend->wake;
	self->inner->watch = backend->watch;
	self->inner->unwatch = backend->unwatch;
	ret = inner_open(self, caller, open, event);
	if (ret) {
		free(event);
		return ret;
	}
	event->tid = open->pid ? open->pid : caller->tid;
	event->leader = group ? group->leader : event->inner;
	tally_list_insert(&self->events, &event->link);
	*ret_event = event;
	return 0;
}

static void classic_event_close(struct tally_emulate_backend *backend, void *arg)
{
	struct classic_backend *self = classic_of(backend);
	struct translated_event *event = arg;

	tally_list_remove(&event->link);
	/* The other members of the event's group become their own leaders. */
	tally_list_for_each (link, &self->events) {
		struct translated_event *member =
			tally_container_of(link, struct translated_event, link);

		if (member->leader == event->inner)
			member->leader = member->inner;
	}
	self->inner->event_close(self->inner, event->inner);
	free(event);
}

static int64_t classic_event_read(struct tally_emulate_backend *backend,
				  const struct tally_emulate_caller *caller, void *arg, void *to,
				  size_t len)
{
	struct classic_backend *self = classic_of(backend);
	const struct translated_event *event = arg;
	int64_t got = self->inner->event_read(self->inner, caller, event->inner, self->bytes,
					      sizeof(self->bytes));

	if (got >= 0)
		got = tally_classic_counts(&event->attr, self->bytes, (size_t)got, event->id, to,
					   len);
	all_rings_update(self);
	return got;
}

static int classic_event_control(struct tally_emulate_backend *backend,
				 const struct tally_emulate_caller *caller, void *arg,
				 uint32_t request, uintptr_t argument, void *other)
{
	struct classic_backend *self = classic_of(backend);
	const struct translated_event *event = arg;
	int ret = tally_classic_check_request(request);

	if (ret)
		return ret;
	ret = self->inner->event_control(self->inner, caller, event->inner, request, argument,
					 NULL);
	all_rings_update(self);
	return ret;
}

/* Handle prctl(2) as the classic ABI specifies: the request applies to the group leaders attached
 * to the caller, no matter which task opened them. */
static void classic_task_control(struct tally_emulate_backend *backend,
				 const struct tally_emulate_caller *caller, uint32_t request)
{
	struct classic_backend *self = classic_of(backend);

	tally_list_for_each (link, &self->events) {
		struct translated_event *event =
			tally_container_of(link, struct translated_event, link);

		if (event->leader == event->inner &&
		    (event->tid == caller->tid || event->tid == caller->pid))
			self->inner->event_control(self->inner, caller, event->inner, request, 0,
						   NULL);
	}
	all_rings_update(self);
}

/* ---- processes: passed on to the inner backend ----------------------------------------------- */

static void classic_process_fork(struct tally_emulate_backend *backend, int32_t parent,
				 int32_t child)
{
	classic_of(backend)->inner->process_fork(classic_of(backend)->inner, parent, child);
}

static void classic_process_exec(struct tally_emulate_backend *backend, int32_t pid)
{
	classic_of(backend)->inner->process_exec(classic_of(backend)->inner, pid);
}

static void classic_process_end(struct tally_emulate_backend *backend, int32_t pid)
{
	classic_of(backend)->inner->process_end(classic_of(backend)->inner, pid);
	all_rings_update(classic_of(backend));
}

static void classic_process_exit(struct tally_emulate_backend *backend, int32_t pid)
{
	classic_of(backend)->inner->process_exit(classic_of(backend)->inner, pid);
	all_rings_update(classic_of(backend));
}

static void classic_caller_waits(struct tally_emulate_backend *backend,
				 const struct tally_emulate_caller *caller)
{
	classic_of(backend)->inner->caller_waits(classic_of(backend)->inner, caller);
	all_rings_update(classic_of(backend));
}

static int classic_wait_child(struct tally_emulate_backend *backend, int32_t pid, int *ret_status)
{
	return classic_of(backend)->inner->wait_child(classic_of(backend)->inner, pid, ret_status);
}

/* ---- creation and destruction ---------------------------------------------------------------- */

static int descriptors_open(struct classic_backend *self)
{
	struct epoll_event readable = {.events = EPOLLIN};
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

	self->backend.wait_fd = epoll_fd;
	self->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (epoll_fd < 0 || self->timer_fd < 0 ||
	    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, self->timer_fd, &readable))
		return -errno;
	if (self->inner->wait_fd >= 0 &&
	    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, self->inner->wait_fd, &readable))
		return -errno;
	return 0;
}

int tally_emulate_classic_new(struct tally_emulate_backend *inner,
			      struct tally_emulate_backend **ret_backend)
{
	struct classic_backend *self = calloc(1, sizeof(*self));
	int ret;

	if (!self)
		return -ENOMEM;
	self->inner = inner;
	self->page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	self->backend = (struct tally_emulate_backend){
		.name = inner->name,
		.is_classic = true,
		.event_open = classic_event_open,
		.event_close = classic_event_close,
		.event_read = classic_event_read,
		.event_control = classic_event_control,
		.task_control = classic_task_control,
		.ring_map = classic_ring_map,
		.ring_unmap = classic_ring_unmap,
		.ring_update = classic_ring_update,
		.process_fork = inner->process_fork ? classic_process_fork : NULL,
		.process_exec = inner->process_exec ? classic_process_exec : NULL,
		.process_end = inner->process_end ? classic_process_end : NULL,
		.process_exit = inner->process_exit ? classic_process_exit : NULL,
		.caller_waits = inner->caller_waits ? classic_caller_waits : NULL,
		.wait_child = inner->wait_child ? classic_wait_child : NULL,
		.wait = classic_wait,
	};
	tally_list_init(&self->events);
	ret = descriptors_open(self);
	if (ret) {
		tally_emulate_classic_free(&self->backend);
		return ret;
	}
	*ret_backend = &self->backend;
	return 0;
}

void tally_emulate_classic_free(struct tally_emulate_backend *backend)
{
	if (!backend)
		return;
	if (classic_of(backend)->timer_fd >= 0)
		close(classic_of(backend)->timer_fd);
	if (backend->wait_fd >= 0)
		close(backend->wait_fd);
	free(classic_of(backend));
}
