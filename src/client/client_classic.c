/* SPDX-License-Identifier: BSD-2-Clause */
/* The classic ABI's calls to open, read and control events, implemented on top of the current
 * ABI. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client/classic_private.h"

enum { FLAGS_AT = offsetof(struct tally_classic_attr, record_type) + 8 };

int tally_classic_new(const struct tally_transport *transport, struct tally_classic **ret_classic)
{
	struct tally_classic *classic = calloc(1, sizeof(*classic));

	if (!classic)
		return -ENOMEM;
	classic->pid = getpid();
	classic->transport = transport ? transport : tally_transport_linux();
	*ret_classic = classic;
	return 0;
}

static void event_close(struct tally_classic *classic, struct classic_event *event)
{
	classic_mapping_free(classic, event->mapping);
	classic->transport->close(classic->transport, event->fd);
}

void tally_classic_free(struct tally_classic *classic)
{
	if (!classic)
		return;
	tally_vec_for_each (event, &classic->events)
		event_close(classic, event);
	tally_vec_free(&classic->events);
	free(classic->scratch);
	free(classic);
}

struct classic_event *classic_event_find(const struct tally_classic *classic, int fd)
{
	tally_vec_for_each (event, &classic->events) {
		if (event->fd == fd)
			return event;
	}
	return NULL;
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Open an event with the current ABI and get its ID. Return the descriptor or -errno. */
static int event_open(struct tally_classic *classic, struct classic_event *event, int32_t cpu,
		      int group_fd)
{
	const struct tally_transport *transport = classic->transport;
	uint32_t page_size = (uint32_t)sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr;
	int ret = tally_classic_attr_decode(&event->attr, page_size, &attr, &classic->why);

	if (ret)
		return ret;
	event->fd = transport->open(transport, &attr, event->pid, cpu, group_fd, 0);
	if (event->fd == -EACCES && !attr.exclude_kernel && (!event->pid || event->pid == getpid()))
		classic->why = (struct tally_classic_error){
			"unprivileged users must set exclude_kernel, even for their own tasks",
			FLAGS_AT};
	if (event->fd < 0)
		return tally_classic_open_error(&event->attr, event->fd);
	ret = transport->ioctl(transport, event->fd, PERF_EVENT_IOC_ID, (uintptr_t)&event->id);
	if (ret < 0) {
		transport->close(transport, event->fd);
		return ret;
	}
	return event->fd;
}

int tally_classic_open(struct tally_classic *classic, const struct tally_classic_attr *attr,
		       int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	struct classic_event event = {.pid = pid};
	int32_t self = (int32_t)syscall(SYS_gettid);
	int ret = tally_classic_check_flags(flags);

	classic->why = (struct tally_classic_error){0};
	if (ret)
		return ret;
	if (!attr)
		return -EFAULT;
	if (group_fd != -1 && !classic_event_find(classic, group_fd))
		return -EBADF;
	if (tally_vec_reserve(&classic->events, classic->events.len + 1))
		return -ENOMEM;
	event.attr = *attr;
	ret = event_open(classic, &event, cpu, group_fd);
	if (ret < 0)
		return ret;
	event.leader = group_fd == -1 ? event.fd : group_fd;
	event.pid = pid ? pid : self;
	(void)tally_vec_push(&classic->events, event);
	return ret;
}

struct tally_classic_error tally_classic_why(const struct tally_classic *classic)
{
	return classic->why;
}

int tally_classic_close(struct tally_classic *classic, int fd)
{
	struct classic_event *event = classic_event_find(classic, fd);

	if (!event)
		return -EBADF;
	event_close(classic, event);
	*event = classic->events.data[--classic->events.len];
	/* Members of the closed event's group become their own leaders. */
	tally_vec_for_each (member, &classic->events) {
		if (member->leader == fd)
			member->leader = member->fd;
	}
	return 0;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Return an upper bound on the number of events in the event's group. */
static uint32_t group_size(const struct tally_classic *classic, const struct classic_event *event)
{
	uint32_t nr = 1;

	tally_vec_for_each (other, &classic->events)
		nr += other->leader == event->leader;
	return nr;
}

int64_t tally_classic_read(struct tally_classic *classic, int fd, void *to, size_t len)
{
	const struct classic_event *event = classic_event_find(classic, fd);
	size_t size;
	int64_t got;
	void *bytes;

	if (!event)
		return -EBADF;
	if (!to)
		return -EFAULT;
	size = tally_classic_counts_size(&event->attr, group_size(classic, event));
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	got = classic->transport->read(classic->transport, fd, bytes, size);
	if (got >= 0)
		got = tally_classic_counts(&event->attr, bytes, (size_t)got, event->id, to, len);
	free(bytes);
	return got;
}

/* ---- control -------------------------------------------------------------------------------- */

int tally_classic_ioctl(struct tally_classic *classic, int fd, unsigned long request,
			unsigned long arg)
{
	int ret = tally_classic_check_request(request);

	if (!classic_event_find(classic, fd))
		return -EBADF;
	return ret ? ret : classic->transport->ioctl(classic->transport, fd, request, arg);
}

/* Return true if the event leads a group and counts the calling thread or process. */
static bool is_own_leader(const struct classic_event *event)
{
	return event->leader == event->fd &&
	       (event->pid == getpid() || event->pid == syscall(SYS_gettid));
}

int tally_classic_prctl(struct tally_classic *classic, int option)
{
	const struct tally_transport *transport = classic->transport;
	unsigned long request = option == TALLY_CLASSIC_PRCTL_ENABLE ? TALLY_CLASSIC_IOC_ENABLE
								     : TALLY_CLASSIC_IOC_DISABLE;
	int first = 0, ret = tally_classic_check_prctl(option);

	if (ret)
		return ret;
	tally_vec_for_each (event, &classic->events) {
		if (!is_own_leader(event))
			continue;
		ret = transport->ioctl(transport, event->fd, request, 0);
		first = first ? first : ret;
	}
	return first;
}
