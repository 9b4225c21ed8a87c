/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls, made as a kernel makes them. Each call must restore the state of interrupts, locks
 * and tasks. */
#include <stdlib.h>
#include <string.h>

#include "core/minimal/mini.h"

static int free_file(const struct mini *mini)
{
	for (int fd = 0; fd < MINI_FILES; fd++) {
		if (!mini->files[fd].event && !mini->files[fd].users)
			return fd;
	}
	return -EMFILE;
}

/* Open an event while only the copy of the attr is accessible user memory. */
static int open_copy(struct mini *mini, struct mini_task *current, int32_t pid, int32_t cpu,
		     int group_fd, unsigned long flags, struct tally_core_event **ret_event)
{
	struct mini_call call;
	int ret;

	mini_call_begin(mini, &call, current, -1);
	ret = tally_core_open(mini->core, &current->perf, mini->user, pid, cpu, group_fd, flags,
			      ret_event, &mini->why);
	mini_call_end(mini, "open");
	if (!ret != !!*ret_event)
		mini_broken(mini, "open gives %d and %s event", ret, *ret_event ? "an" : "no");
	return ret;
}

int mini_open(struct mini *mini, struct mini_task *current, const void *attr, size_t attr_len,
	      int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	int fd, ret = -ENOMEM;
	struct tally_core_event *event = NULL;
	void *user = mini->user;
	size_t user_len = mini->user_len;
	void *copy = malloc(attr_len);

	if (copy) {
		mini->user = memcpy(copy, attr, attr_len);
		mini->user_len = attr_len;
		ret = open_copy(mini, current, pid, cpu, group_fd, flags, &event);
		mini->user = user;
		mini->user_len = user_len;
	}
	free(copy);
	if (ret)
		return ret;
	fd = free_file(mini);
	if (fd < 0) {
		tally_core_close(mini->core, event);
		return fd;
	}
	mini->files[fd] = (struct mini_file){.users = 1};
	tally_core_event_set_cookie(event, &mini->files[fd]);
	mini->files[fd].users = 0;
	mini->files[fd].event = event;
	return fd;
}

static struct tally_core_buffer *take_mapping(struct mini_file *file)
{
	struct tally_core_buffer *buffer = NULL;

	for (int at = MINI_MAPPINGS - 1; at >= 0 && !buffer; at--) {
		buffer = file->mappings[at];
		file->mappings[at] = NULL;
	}
	return buffer;
}

/* Take the address space lock, which is held during mmap(2) and munmap(2). */
static void lock_space(struct mini *mini)
{
	mini->held[mini->nr_held++].lock = NULL;
}

void mini_munmap(struct mini *mini, int fd)
{
	struct tally_core_buffer *buffer = take_mapping(&mini->files[fd]);
	struct mini_call call;

	if (!buffer)
		return;
	mini_call_begin(mini, &call, NULL, fd);
	lock_space(mini);
	tally_core_munmap(mini->core, mini->files[fd].event, buffer);
	mini->nr_held--;
	mini_call_end(mini, "munmap");
}

void mini_close(struct mini *mini, int fd)
{
	struct mini_file *file = &mini->files[fd];
	struct tally_core_event *event = file->event;
	struct mini_call call;

	file->closing = true;
	if (file->users)
		return;
	file->users = 1;
	while (file->mappings[0] || file->mappings[1] || file->mappings[2] || file->mappings[3])
		mini_munmap(mini, fd);
	mini_call_begin(mini, &call, NULL, -1);
	tally_core_close(mini->core, event);
	*file = (struct mini_file){0};
	mini_call_end(mini, "close");
}

int64_t mini_read(struct mini *mini, int fd, void *buffer, size_t len)
{
	struct mini_call call;
	int64_t ret;

	mini_call_begin(mini, &call, NULL, fd);
	ret = tally_core_read(mini->core, mini->files[fd].event, buffer, len);
	mini_call_end(mini, "read");
	return ret;
}

int mini_ioctl(struct mini *mini, struct mini_task *current, int fd, unsigned long request,
	       uintptr_t arg)
{
	struct mini_call call;
	int ret;

	mini_call_begin(mini, &call, current, fd);
	ret = tally_core_ioctl(mini->core, &current->perf, mini->files[fd].event, request, arg,
			       &mini->why);
	mini_call_end(mini, "ioctl");
	return ret;
}

unsigned mini_poll(struct mini *mini, int fd)
{
	struct mini_call call;
	unsigned ret;

	mini_call_begin(mini, &call, NULL, fd);
	ret = tally_core_poll(mini->core, mini->files[fd].event);
	mini_call_end(mini, "poll");
	return ret;
}

int mini_prctl(struct mini *mini, struct mini_task *current, int option)
{
	struct mini_call call;
	int ret;

	mini_call_begin(mini, &call, current, -1);
	ret = tally_core_prctl(mini->core, &current->perf, option);
	mini_call_end(mini, "prctl");
	return ret;
}

static int note_mapping(struct mini_file *file, struct tally_core_buffer *buffer)
{
	for (int at = 0; at < MINI_MAPPINGS; at++) {
		if (!file->mappings[at]) {
			file->mappings[at] = buffer;
			return 0;
		}
	}
	return -EMFILE;
}

int mini_mmap(struct mini *mini, struct mini_task *current, int fd, size_t bytes, bool writable,
	      struct tally_core_buffer **ret_buffer)
{
	struct mini_file *file = &mini->files[fd];
	struct tally_core_buffer *buffer = NULL;
	struct mini_call call;
	int ret;

	mini_call_begin(mini, &call, current, fd);
	lock_space(mini);
	ret = tally_core_mmap(mini->core, &current->perf, file->event, bytes, 0, writable, &buffer,
			      &mini->why);
	if (!ret && note_mapping(file, buffer)) {
		tally_core_munmap(mini->core, file->event, buffer);
		ret = -EMFILE;
	}
	mini->nr_held--;
	mini_call_end(mini, "mmap");
	if (!ret && ret_buffer)
		*ret_buffer = buffer;
	return ret;
}
