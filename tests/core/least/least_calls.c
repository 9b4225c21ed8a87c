/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls, made as a kernel makes them. Each call must restore the state of interrupts, locks
 * and tasks. */
#include <stdlib.h>
#include <string.h>

#include "core/least/least.h"

static int free_file(const struct least *least)
{
	for (int fd = 0; fd < LEAST_FILES; fd++) {
		if (!least->files[fd].event && !least->files[fd].users)
			return fd;
	}
	return -EMFILE;
}

/* Open an event while the copy of the attr is the only accessible user memory. */
static int open_copy(struct least *least, struct least_task *current, int32_t pid, int32_t cpu,
		     int group_fd, unsigned long flags, struct tally_core_event **ret_event)
{
	struct least_call call;
	int ret;

	least_call_begin(least, &call, current, -1);
	ret = tally_core_open(least->core, &current->perf, least->user, pid, cpu, group_fd, flags,
			      ret_event, &least->why);
	least_call_end(least, "open");
	if (!ret != !!*ret_event)
		least_broken(least, "open gives %d and %s event", ret, *ret_event ? "an" : "no");
	return ret;
}

int least_open(struct least *least, struct least_task *current, const void *attr, size_t attr_len,
	       int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	int fd, ret = -ENOMEM;
	struct tally_core_event *event = NULL;
	void *user = least->user;
	size_t user_len = least->user_len;
	void *copy = malloc(attr_len);

	if (copy) {
		least->user = memcpy(copy, attr, attr_len);
		least->user_len = attr_len;
		ret = open_copy(least, current, pid, cpu, group_fd, flags, &event);
		least->user = user;
		least->user_len = user_len;
	}
	free(copy);
	if (ret)
		return ret;
	fd = free_file(least);
	if (fd < 0) {
		tally_core_close(least->core, event);
		return fd;
	}
	least->files[fd] = (struct least_file){.users = 1};
	tally_core_event_set_cookie(event, &least->files[fd]);
	least->files[fd].users = 0;
	least->files[fd].event = event;
	return fd;
}

static struct tally_core_buffer *take_mapping(struct least_file *file)
{
	struct tally_core_buffer *buffer = NULL;

	for (int at = LEAST_MAPPINGS - 1; at >= 0 && !buffer; at--) {
		buffer = file->mappings[at];
		file->mappings[at] = NULL;
	}
	return buffer;
}

/* Take the lock of the address space, which mmap(2) and munmap(2) run under. */
static void lock_space(struct least *least)
{
	least->held[least->nr_held++].lock = NULL;
}

void least_munmap(struct least *least, int fd)
{
	struct tally_core_buffer *buffer = take_mapping(&least->files[fd]);
	struct least_call call;

	if (!buffer)
		return;
	least_call_begin(least, &call, NULL, fd);
	lock_space(least);
	tally_core_munmap(least->core, least->files[fd].event, buffer);
	least->nr_held--;
	least_call_end(least, "munmap");
}

void least_close(struct least *least, int fd)
{
	struct least_file *file = &least->files[fd];
	struct tally_core_event *event = file->event;
	struct least_call call;

	file->closing = true;
	if (file->users)
		return;
	file->users = 1;
	while (file->mappings[0] || file->mappings[1] || file->mappings[2] || file->mappings[3])
		least_munmap(least, fd);
	least_call_begin(least, &call, NULL, -1);
	tally_core_close(least->core, event);
	*file = (struct least_file){0};
	least_call_end(least, "close");
}

int64_t least_read(struct least *least, int fd, void *buffer, size_t len)
{
	struct least_call call;
	int64_t ret;

	least_call_begin(least, &call, NULL, fd);
	ret = tally_core_read(least->core, least->files[fd].event, buffer, len);
	least_call_end(least, "read");
	return ret;
}

int least_ioctl(struct least *least, struct least_task *current, int fd, unsigned long request,
		uintptr_t arg)
{
	struct least_call call;
	int ret;

	least_call_begin(least, &call, current, fd);
	ret = tally_core_ioctl(least->core, &current->perf, least->files[fd].event, request, arg,
			       &least->why);
	least_call_end(least, "ioctl");
	return ret;
}

unsigned least_poll(struct least *least, int fd)
{
	struct least_call call;
	unsigned ret;

	least_call_begin(least, &call, NULL, fd);
	ret = tally_core_poll(least->core, least->files[fd].event);
	least_call_end(least, "poll");
	return ret;
}

int least_prctl(struct least *least, struct least_task *current, int option)
{
	struct least_call call;
	int ret;

	least_call_begin(least, &call, current, -1);
	ret = tally_core_prctl(least->core, &current->perf, option);
	least_call_end(least, "prctl");
	return ret;
}

static int note_mapping(struct least_file *file, struct tally_core_buffer *buffer)
{
	for (int at = 0; at < LEAST_MAPPINGS; at++) {
		if (!file->mappings[at]) {
			file->mappings[at] = buffer;
			return 0;
		}
	}
	return -EMFILE;
}

int least_mmap(struct least *least, struct least_task *current, int fd, size_t bytes, bool writable,
	       struct tally_core_buffer **ret_buffer)
{
	struct least_file *file = &least->files[fd];
	struct tally_core_buffer *buffer = NULL;
	struct least_call call;
	int ret;

	least_call_begin(least, &call, current, fd);
	lock_space(least);
	ret = tally_core_mmap(least->core, &current->perf, file->event, bytes, 0, writable, &buffer,
			      &least->why);
	if (!ret && note_mapping(file, buffer)) {
		tally_core_munmap(least->core, file->event, buffer);
		ret = -EMFILE;
	}
	least->nr_held--;
	least_call_end(least, "mmap");
	if (!ret && ret_buffer)
		*ret_buffer = buffer;
	return ret;
}
