/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls, as a kernel makes them. Each leaves interrupts, locks and tasks as they were. */
#include <stdlib.h>
#include <string.h>

#include "core/least/least.h"

static void call_begin(struct least *least)
{
	least->nr_fetches = least->nr_relaxed = 0;
	least->why = (struct tally_core_refusal){0};
}

static void call_end(struct least *least, const char *name, uint32_t nr_held)
{
	if (least->off)
		least_broken(least, "%s leaves interrupts off", name);
	if (least->nr_held != nr_held)
		least_broken(least, "%s leaves a lock locked", name);
	for (int i = 0; i < LEAST_TASKS; i++) {
		if (least->tasks[i] && least->tasks[i]->refs)
			least_broken(least, "%s keeps a task", name);
	}
}

static int free_file(const struct least *least)
{
	for (int fd = 0; fd < LEAST_FILES; fd++) {
		if (!least->files[fd].event)
			return fd;
	}
	return -EMFILE;
}

/* With the copy of the attr as all of user memory. */
static int open_copy(struct least *least, struct least_task *current, int32_t pid, int32_t cpu,
		     int group_fd, unsigned long flags, struct tally_core_event **ret_event)
{
	uint32_t nr_held = least->nr_held;
	int ret;

	call_begin(least);
	ret = tally_core_open(least->core, &current->perf, least->user, pid, cpu, group_fd, flags,
			      ret_event, &least->why);
	call_end(least, "open", nr_held);
	if (!ret != !!*ret_event)
		least_broken(least, "open gives %d and %s event", ret, *ret_event ? "an" : "no");
	return ret;
}

int least_open(struct least *least, struct least_task *current, const void *attr, size_t attr_len,
	       int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	int fd = free_file(least), ret = fd < 0 ? fd : -ENOMEM;
	struct tally_core_event *event = NULL;
	void *user = least->user;
	size_t user_len = least->user_len;
	void *copy = malloc(attr_len);

	if (copy && fd >= 0) {
		least->user = memcpy(copy, attr, attr_len);
		least->user_len = attr_len;
		ret = open_copy(least, current, pid, cpu, group_fd, flags, &event);
		least->user = user;
		least->user_len = user_len;
	}
	free(copy);
	if (ret)
		return ret;
	least->files[fd] = (struct least_file){.event = event};
	tally_core_event_set_cookie(event, &least->files[fd]);
	return fd;
}

void least_munmap(struct least *least, int fd)
{
	struct least_file *file = &least->files[fd];
	int last = LEAST_MAPPINGS - 1;

	while (last >= 0 && !file->mappings[last])
		last--;
	if (last < 0)
		return;
	call_begin(least);
	least->held[least->nr_held++].lock = NULL;
	tally_core_munmap(least->core, file->event, file->mappings[last]);
	least->nr_held--;
	call_end(least, "munmap", 0);
	file->mappings[last] = NULL;
}

void least_close(struct least *least, int fd)
{
	struct tally_core_event *event = least->files[fd].event;

	while (least->files[fd].mappings[0])
		least_munmap(least, fd);
	call_begin(least);
	tally_core_close(least->core, event);
	least->files[fd].event = NULL;
	call_end(least, "close", 0);
}

int64_t least_read(struct least *least, int fd, void *buffer, size_t len)
{
	int64_t ret;

	call_begin(least);
	ret = tally_core_read(least->core, least->files[fd].event, buffer, len);
	call_end(least, "read", 0);
	return ret;
}

int least_ioctl(struct least *least, struct least_task *current, int fd, unsigned long request,
		uintptr_t arg)
{
	int ret;

	call_begin(least);
	ret = tally_core_ioctl(least->core, &current->perf, least->files[fd].event, request, arg,
			       &least->why);
	call_end(least, "ioctl", 0);
	return ret;
}

unsigned least_poll(struct least *least, int fd)
{
	unsigned ret;

	call_begin(least);
	ret = tally_core_poll(least->core, least->files[fd].event);
	call_end(least, "poll", 0);
	return ret;
}

int least_prctl(struct least *least, struct least_task *current, int option)
{
	int ret;

	call_begin(least);
	ret = tally_core_prctl(least->core, &current->perf, option);
	call_end(least, "prctl", 0);
	return ret;
}

int least_mmap(struct least *least, struct least_task *current, int fd, size_t bytes, bool writable,
	       struct tally_core_buffer **ret_buffer)
{
	struct least_file *file = &least->files[fd];
	struct tally_core_buffer *buffer = NULL;
	int at = 0, ret;

	while (at < LEAST_MAPPINGS && file->mappings[at])
		at++;
	if (at == LEAST_MAPPINGS)
		return -EMFILE;
	call_begin(least);
	least->held[least->nr_held++].lock = NULL;
	ret = tally_core_mmap(least->core, &current->perf, file->event, bytes, 0, writable, &buffer,
			      &least->why);
	least->nr_held--;
	call_end(least, "mmap", 0);
	if (ret)
		return ret;
	file->mappings[at] = buffer;
	if (ret_buffer)
		*ret_buffer = buffer;
	return 0;
}
