/* SPDX-License-Identifier: BSD-2-Clause */
/* Descriptors and mappings. An event exists as long as it has a descriptor or a mapping. */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/arith.h"
#include "hosts/sim/sim_entry.h"
#include "hosts/sim/sim_files.h"
#include "hosts/sim/hardware.h"
#include "hosts/sim/sim_private.h"

enum { FIRST_FD = 3 };

static void file_put(struct tally_sim *sim, struct sim_file *file)
{
	if (--file->refs)
		return;
	if (file->event)
		tally_core_close(sim->core, file->event);
	free(file);
}

static struct sim_descriptor *descriptor_of(const struct tally_sim_task *task, int fd)
{
	size_t i = (size_t)fd - FIRST_FD;

	if (!task->process || fd < FIRST_FD || i >= task->process->fds.len ||
	    !task->process->fds.data[i].file)
		return NULL;
	return &task->process->fds.data[i];
}

static struct sim_file *file_of(const struct tally_sim_task *task, int fd)
{
	const struct sim_descriptor *descriptor = descriptor_of(task, fd);

	return descriptor ? descriptor->file : NULL;
}

/* Install a file at the lowest free descriptor. */
static int descriptor_add(struct tally_sim_task *task, struct sim_file *file, bool cloexec)
{
	struct sim_descriptor made = {file, cloexec};
	size_t i = 0;

	while (i < task->process->fds.len && task->process->fds.data[i].file)
		i++;
	if (i == task->process->fds.len && tally_vec_push(&task->process->fds, made))
		return -ENOMEM;
	task->process->fds.data[i] = made;
	file->refs++;
	return FIRST_FD + (int)i;
}

void sim_files_copy(struct sim_process *to, const struct sim_process *from)
{
	if (tally_vec_reserve(&to->fds, from->fds.len))
		return;
	for (; to->fds.len < from->fds.len; to->fds.len++) {
		to->fds.data[to->fds.len] = from->fds.data[to->fds.len];
		if (to->fds.data[to->fds.len].file)
			to->fds.data[to->fds.len].file->refs++;
	}
}

static void mapping_end(struct tally_sim *sim, struct sim_process *process, size_t i)
{
	struct sim_mapping mapping = process->mappings.data[i];

	process->mappings.data[i] = process->mappings.data[--process->mappings.len];
	munmap(mapping.memory, mapping.len);
	tally_core_munmap(sim->core, mapping.file->event, mapping.buffer);
	file_put(sim, mapping.file);
}

void sim_files_close(struct tally_sim *sim, struct tally_sim_task *task, bool exec)
{
	struct sim_process *process = task->process;

	while (process->mappings.len)
		mapping_end(sim, process, process->mappings.len - 1);
	tally_vec_for_each (descriptor, &process->fds) {
		struct sim_file *file = descriptor->file;

		if (!file || (exec && !descriptor->cloexec))
			continue;
		descriptor->file = NULL;
		file_put(sim, file);
	}
}

/* ---- calls -------------------------------------------------------------------- */

static struct sim_file *file_make(void)
{
	return calloc(1, sizeof(struct sim_file));
}

int tally_sim_open(struct tally_sim *sim, struct tally_sim_task *task, void *attr, int32_t pid,
		   int32_t cpu, int group_fd, unsigned long flags)
{
	struct sim_call call = sim_call_begin(sim, task);
	struct sim_file *file = file_make();
	int fd = file ? descriptor_add(task, file, flags & PERF_FLAG_FD_CLOEXEC) : -ENOMEM, ret;

	if (fd < 0) {
		free(file);
		sim_call_end(sim, &call);
		return fd;
	}
	ret = tally_core_open(sim->core, &task->perf, attr, pid, cpu, group_fd, flags, &file->event,
			      &sim->refusal);
	if (ret) {
		descriptor_of(task, fd)->file = NULL;
		file_put(sim, file);
	} else {
		tally_core_event_set_cookie(file->event, file);
	}
	sim_call_end(sim, &call);
	return ret ? ret : fd;
}

int tally_sim_open_other(struct tally_sim *sim, struct tally_sim_task *task)
{
	struct sim_file *file = file_make();
	int fd = file ? descriptor_add(task, file, false) : -ENOMEM;

	if (fd < 0)
		free(file);
	return fd;
}

int tally_sim_close(struct tally_sim *sim, struct tally_sim_task *task, int fd)
{
	struct sim_descriptor *descriptor = descriptor_of(task, fd);
	struct sim_file *file;
	struct sim_call call;

	if (!descriptor)
		return -EBADF;
	file = descriptor->file;
	descriptor->file = NULL;
	call = sim_call_begin(sim, task);
	file_put(sim, file);
	sim_call_end(sim, &call);
	return 0;
}

int tally_sim_dup(struct tally_sim *sim, struct tally_sim_task *task, int fd)
{
	struct sim_file *file = file_of(task, fd);

	return file ? descriptor_add(task, file, false) : -EBADF;
}

int tally_sim_send_fd(struct tally_sim *sim, const struct tally_sim_task *from, int fd,
		      struct tally_sim_task *to)
{
	struct sim_file *file = file_of(from, fd);

	return file && to->process ? descriptor_add(to, file, true) : -EBADF;
}

int tally_sim_set_owner(struct tally_sim *sim, struct tally_sim_task *task, int fd, void *owner)
{
	struct sim_file *file = file_of(task, fd);

	if (!file)
		return -EBADF;
	file->owner = owner;
	return 0;
}

int tally_sim_mapping_file(struct tally_sim *sim, const struct tally_sim_task *task,
			   const void *memory, int *ret_fd, uint64_t *ret_offset)
{
	for (size_t i = 0; task->process && i < task->process->mappings.len; i++) {
		const struct sim_mapping *mapping = &task->process->mappings.data[i];

		if (mapping->memory != memory)
			continue;
		*ret_fd = sim->memory_fd;
		*ret_offset = (uint64_t)((uint8_t *)tally_core_buffer_page(mapping->buffer, 0) -
					 sim->memory);
		return 0;
	}
	return -EINVAL;
}

struct tally_core_event *tally_sim_event(struct tally_sim *sim, struct tally_sim_task *task, int fd)
{
	struct sim_file *file = file_of(task, fd);

	return file ? file->event : NULL;
}

int64_t tally_sim_read(struct tally_sim *sim, struct tally_sim_task *task, int fd, void *to,
		       size_t len)
{
	struct tally_core_event *event = tally_sim_event(sim, task, fd);
	struct sim_call call;
	int64_t ret;

	if (!event)
		return -EBADF;
	call = sim_call_begin(sim, task);
	ret = tally_core_read(sim->core, event, to, len);
	sim_call_end(sim, &call);
	return ret;
}

int tally_sim_ioctl(struct tally_sim *sim, struct tally_sim_task *task, int fd,
		    unsigned long request, uintptr_t arg)
{
	struct tally_core_event *event = tally_sim_event(sim, task, fd);
	struct sim_call call;
	int ret;

	if (!event)
		return -EBADF;
	call = sim_call_begin(sim, task);
	ret = tally_core_ioctl(sim->core, &task->perf, event, request, arg, &sim->refusal);
	sim_call_end(sim, &call);
	return ret;
}

unsigned tally_sim_poll(struct tally_sim *sim, struct tally_sim_task *task, int fd)
{
	struct tally_core_event *event = tally_sim_event(sim, task, fd);
	struct sim_call call;
	unsigned ret;

	if (!event)
		return TALLY_CORE_POLLERR;
	call = sim_call_begin(sim, task);
	ret = tally_core_poll(sim->core, event);
	sim_call_end(sim, &call);
	return ret;
}

int tally_sim_prctl(struct tally_sim *sim, struct tally_sim_task *task, int option)
{
	struct sim_call call = sim_call_begin(sim, task);
	int ret = tally_core_prctl(sim->core, &task->perf, option);

	sim_call_end(sim, &call);
	return ret;
}

/* Map a buffer into the process, and record the mapping. */
static int mapping_add(struct tally_sim *sim, struct tally_sim_task *task, struct sim_file *file,
		       struct tally_core_buffer *buffer, size_t len, bool writable)
{
	struct sim_mapping mapping = {file, buffer, sim_map_buffer(sim, buffer, len, writable),
				      len};

	if (!mapping.memory)
		return -ENOMEM;
	if (tally_vec_push(&task->process->mappings, mapping)) {
		munmap(mapping.memory, len);
		return -ENOMEM;
	}
	file->refs++;
	return 0;
}

int tally_sim_mmap(struct tally_sim *sim, struct tally_sim_task *task, int fd, size_t len,
		   uint64_t pgoff, bool writable, void **ret_memory)
{
	struct sim_file *file = file_of(task, fd);
	struct tally_core_buffer *buffer;
	struct sim_call call;
	int ret;

	if (!file || !file->event)
		return -EBADF;
	len = tally_round_up(len, sim_ops.page_size);
	call = sim_call_begin(sim, task);
	ret = tally_core_mmap(sim->core, &task->perf, file->event, len, pgoff, writable, &buffer,
			      &sim->refusal);
	if (!ret) {
		ret = mapping_add(sim, task, file, buffer, len, writable);
		if (ret)
			tally_core_munmap(sim->core, file->event, buffer);
	}
	sim_call_end(sim, &call);
	if (!ret)
		*ret_memory = task->process->mappings.data[task->process->mappings.len - 1].memory;
	return ret;
}

int tally_sim_munmap(struct tally_sim *sim, struct tally_sim_task *task, void *memory)
{
	struct sim_call call;

	for (size_t i = 0; task->process && i < task->process->mappings.len; i++)
		if (task->process->mappings.data[i].memory == memory) {
			call = sim_call_begin(sim, task);
			mapping_end(sim, task->process, i);
			sim_call_end(sim, &call);
			return 0;
		}
	return -EINVAL;
}

int tally_sim_set_async(struct tally_sim *sim, struct tally_sim_task *task, int fd)
{
	struct sim_file *file = file_of(task, fd);

	if (!file)
		return -EBADF;
	file->async = task;
	return 0;
}

struct tally_sim_notifications tally_sim_notifications(struct tally_sim *sim,
						       struct tally_sim_task *task, int fd)
{
	const struct sim_file *file = file_of(task, fd);

	return file ? file->notifications : (struct tally_sim_notifications){0};
}

uint64_t tally_sim_rdpmc(struct tally_sim *sim, struct tally_sim_task *task, uint32_t index)
{
	struct sim_call call = sim_call_begin(sim, task);
	uint64_t value = index < SIM_MAX_COUNTERS ? sim_counter_read(sim, 0, index) : 0;

	sim_call_end(sim, &call);
	return value;
}
