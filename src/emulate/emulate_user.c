/* SPDX-License-Identifier: BSD-2-Clause */
/* Backend for the user host. It counts threads' real activity without the kernel's
 * perf_event_open. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/linked_list.h"
#include "emulate/backend.h"
#include "hosts/user/user.h"

struct user_backend {
	struct tally_emulate_backend backend;
	struct tally_user *user;
	struct tally_list opened;
};

struct user_event {
	struct tally_list link;
	void *wakes;
	int fd;        /* descriptor from the user host */
	int32_t tid;   /* counted thread */
	bool inherits; /* also counts the thread's children */
	bool has_ring; /* POLLHUP has no meaning without a ring */
};

struct user_ring {
	void *memory;
	size_t len;
};

static struct tally_user *user_of(struct tally_emulate_backend *backend)
{
	return tally_container_of(backend, struct user_backend, backend)->user;
}

/* Return a thread's state from procfs, or '\0' if the thread has exited. */
static char state_of(int32_t tid)
{
	char path[64], text[256];
	const char *name_end;
	ssize_t len;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return '\0';
	len = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	name_end = strrchr(text, ')');
	return name_end && name_end[1] ? name_end[2] : '\0';
}

/* Wait until the caller is asleep, waiting for the reply. A thread's usage is known exactly only
 * while it is asleep. */
static void wait_for_caller(const struct tally_emulate_caller *caller)
{
	enum { TRIES = 100 };

	for (int i = 0; i < TRIES && state_of(caller->tid) == 'R'; i++)
		sched_yield();
}

static int user_event_open(struct tally_emulate_backend *backend,
			   const struct tally_emulate_caller *caller,
			   const struct tally_emulate_open *open, void **ret_event)
{
	const struct user_event *group = open->group;
	int group_fd = open->is_group_bad ? INT_MAX : -1;
	struct epoll_event wanted = {.events = EPOLLIN};
	struct user_event *event;
	int ret;

	if (open->pid == -1 && open->cpu == -1)
		return -EINVAL;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	wanted.data.ptr = event;
	event->wakes = open->wakes;
	event->tid = open->pid ? open->pid : caller->tid;
	event->inherits = ((const struct perf_event_attr *)open->attr)->inherit;
	event->fd = tally_user_open(user_of(backend), open->attr, event->tid, open->cpu,
				    group ? group->fd : group_fd, open->flags);
	if (event->fd < 0) {
		ret = event->fd;
		free(event);
		return ret;
	}
	if (epoll_ctl(backend->wait_fd, EPOLL_CTL_ADD, event->fd, &wanted)) {
		ret = -errno;
		tally_user_close(user_of(backend), event->fd);
		free(event);
		return ret;
	}
	tally_user_set_socket(user_of(backend), event->fd, open->socket);
	tally_list_insert(&tally_container_of(backend, struct user_backend, backend)->opened,
			  &event->link);
	*ret_event = event;
	return 0;
}

static void user_event_close(struct tally_emulate_backend *backend, void *event)
{
	struct user_event *own = event;

	tally_list_remove(&own->link);
	tally_user_close(user_of(backend), own->fd);
	free(own);
}

static int64_t user_event_read(struct tally_emulate_backend *backend,
			       const struct tally_emulate_caller *caller, void *event, void *to,
			       size_t len)
{
	wait_for_caller(caller);
	return tally_user_read(user_of(backend), ((struct user_event *)event)->fd, to, len);
}

static int user_event_control(struct tally_emulate_backend *backend,
			      const struct tally_emulate_caller *caller, void *event,
			      uint32_t request, uintptr_t argument, void *other)
{
	bool is_output = request == (uint32_t)PERF_EVENT_IOC_SET_OUTPUT;
	const struct user_event *target = other;
	struct user_event *own = event;
	int ret;

	if (is_output)
		argument = target ? (uintptr_t)target->fd : (uintptr_t)-1;
	wait_for_caller(caller);
	ret = tally_user_ioctl(user_of(backend), own->fd, request, argument);
	if (!ret && is_output)
		own->has_ring = target;
	return ret;
}

static int user_ring_map(struct tally_emulate_backend *backend,
			 const struct tally_emulate_caller *caller, void *event, size_t len,
			 uint64_t offset, bool writable, struct tally_emulate_map *ret_map)
{
	struct user_event *own = event;
	struct user_ring *ring = calloc(1, sizeof(*ring));
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int ret = offset ? -EINVAL : 0, fd;

	if (!ring)
		return -ENOMEM;
	ring->len = tally_round_up(len, page);
	if (!ret)
		ret = tally_user_mmap(user_of(backend), own->fd, ring->len, writable,
				      &ring->memory);
	if (ret) {
		free(ring);
		return ret;
	}
	fd = fcntl(tally_user_ring_file(user_of(backend), ring->memory), F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		ret = -errno;
		tally_user_munmap(user_of(backend), ring->memory, ring->len);
		free(ring);
		return ret;
	}
	own->has_ring = true;
	*ret_map = (struct tally_emulate_map){.fd = fd, .mapping = ring};
	return 0;
}

static void user_ring_unmap(struct tally_emulate_backend *backend, void *event, void *mapping)
{
	struct user_ring *ring = mapping;

	tally_user_munmap(user_of(backend), ring->memory, ring->len);
	free(ring);
}

/* Poll an event for POLLIN and POLLHUP. After POLLHUP, the event is no longer watched. */
static short event_poll(struct tally_emulate_backend *backend, struct user_event *event)
{
	struct pollfd poll = {.fd = event->fd, .events = POLLIN};

	if (tally_user_poll(user_of(backend), &poll, 1, 0) <= 0)
		return 0;
	if (!event->has_ring)
		poll.revents &= (short)~POLLHUP;
	if (poll.revents & POLLHUP)
		epoll_ctl(backend->wait_fd, EPOLL_CTL_DEL, event->fd, NULL);
	backend->wake(event->wakes, (short)(poll.revents & (POLLIN | POLLHUP)));
	return poll.revents;
}

static void user_wait(struct tally_emulate_backend *backend)
{
	struct epoll_event ready[64];
	int nr = epoll_wait(backend->wait_fd, ready, TALLY_ARRAY_SIZE(ready), 0);

	for (int i = 0; i < nr; i++)
		event_poll(backend, ready[i].data.ptr);
}

/* Poll the events of a process that has exited; otherwise, callers waiting for that exit would
 * not be woken. The supervisor may notice the exit later than this process does, so retry for a
 * moment. */
static void user_process_exit(struct tally_emulate_backend *backend, int32_t pid)
{
	struct user_backend *own = tally_container_of(backend, struct user_backend, backend);
	enum { TRIES = 50, PAUSE_US = 200 };

	tally_list_for_each (link, &own->opened) {
		struct user_event *event = tally_container_of(link, struct user_event, link);

		if (!event->has_ring || event->tid != pid || event->inherits)
			continue;
		for (int i = 0; i < TRIES; i++) {
			eventfd_write(event->fd, 1);
			if (event_poll(backend, event) & POLLHUP)
				break;
			usleep(PAUSE_US);
		}
	}
}

/* Wait for a child, through the supervisor if it traces the child. */
static int user_wait_child(struct tally_emulate_backend *backend, int32_t pid, int *ret_status)
{
	struct rusage usage;
	pid_t got = tally_user_wait(user_of(backend), pid, true, ret_status, &usage);

	if (got == -ECHILD)
		got = waitpid(pid, ret_status, 0);
	return got == pid ? 0 : -ECHILD;
}

int tally_emulate_user_new(struct tally_emulate_backend **ret_backend)
{
	static const struct tally_user_settings settings = {.samples = true};
	struct user_backend *own = calloc(1, sizeof(*own));
	int ret;

	if (!own)
		return -ENOMEM;
	own->backend = (struct tally_emulate_backend){
		.name = "user",
		.event_open = user_event_open,
		.event_close = user_event_close,
		.event_read = user_event_read,
		.event_control = user_event_control,
		.ring_map = user_ring_map,
		.ring_unmap = user_ring_unmap,
		.process_exit = user_process_exit,
		.wait_fd = epoll_create1(EPOLL_CLOEXEC),
		.wait = user_wait,
		.wait_child = user_wait_child,
	};
	tally_list_init(&own->opened);
	ret = own->backend.wait_fd < 0 ? -errno : tally_user_create(&settings, &own->user);
	if (ret) {
		if (own->backend.wait_fd >= 0)
			close(own->backend.wait_fd);
		free(own);
		return ret;
	}
	*ret_backend = &own->backend;
	return 0;
}

void tally_emulate_user_free(struct tally_emulate_backend *backend)
{
	if (!backend)
		return;
	tally_user_destroy(user_of(backend));
	close(backend->wait_fd);
	free(tally_container_of(backend, struct user_backend, backend));
}
