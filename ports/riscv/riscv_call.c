/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls: the core's calls, which use descriptors, and other calls that tasks need. */
#include "ports/riscv/riscv_kernel.h"

typedef int64_t (*call_fn)(struct kernel_task *task, const uintptr_t *arg);

/* ---- files -------------------------------------------------------------------------------- */

static struct file *file_of(struct kernel_task *task, uintptr_t fd)
{
	return fd < MAX_FILES ? task->files[fd] : NULL;
}

static void file_put(struct file *file)
{
	if (__atomic_sub_fetch(&file->refs, 1, __ATOMIC_ACQ_REL))
		return;
	tally_core_close(kernel.core, file->event);
	heap_put(file, sizeof(*file));
}

static int free_fd(const struct kernel_task *task)
{
	for (int fd = 0; fd < MAX_FILES; fd++) {
		if (!task->files[fd])
			return fd;
	}
	return -ENOSPC;
}

static int64_t call_open(struct kernel_task *task, const uintptr_t *arg)
{
	int fd = free_fd(task), ret;
	struct file *file;

	if (fd < 0)
		return fd;
	file = heap_get(sizeof(*file));
	if (!file)
		return -ENOMEM;
	ret = tally_core_open(kernel.core, &task->perf, (void *)arg[0], (int32_t)arg[1],
			      (int32_t)arg[2], (int)arg[3], arg[4], &file->event, NULL);
	if (ret) {
		heap_put(file, sizeof(*file));
		return ret;
	}
	file->refs = 1;
	tally_core_event_set_cookie(file->event, file);
	task->files[fd] = file;
	return fd;
}

static int64_t call_close(struct kernel_task *task, const uintptr_t *arg)
{
	struct file *file = file_of(task, arg[0]);

	if (!file)
		return -EBADF;
	task->files[arg[0]] = NULL;
	file_put(file);
	return 0;
}

static int64_t call_read(struct kernel_task *task, const uintptr_t *arg)
{
	struct file *file = file_of(task, arg[0]);

	return file ? tally_core_read(kernel.core, file->event, (void *)arg[1], arg[2]) : -EBADF;
}

static int64_t call_ioctl(struct kernel_task *task, const uintptr_t *arg)
{
	struct file *file = file_of(task, arg[0]);

	return file ? tally_core_ioctl(kernel.core, &task->perf, file->event, arg[1], arg[2], NULL)
		    : -EBADF;
}

static int64_t call_prctl(struct kernel_task *task, const uintptr_t *arg)
{
	return tally_core_prctl(kernel.core, &task->perf, (int)arg[0]);
}

/* Poll an event. A wakeup between the check and the switch makes the task ready again, so the
 * wakeup is not missed. */
static int64_t call_poll(struct kernel_task *task, const uintptr_t *arg)
{
	struct file *file = file_of(task, arg[0]);
	unsigned events;

	if (!file)
		return -EBADF;
	for (;;) {
		task_wait_begin(file);
		events = tally_core_poll(kernel.core, file->event);
		if (events || !arg[1])
			break;
		task_schedule(false);
	}
	task_ready(task);
	return events;
}

/* ---- mappings ----------------------------------------------------------------------------- */

static void unmap(struct mapping *map)
{
	tally_core_munmap(kernel.core, map->file->event, map->buffer);
	file_put(map->file);
	map->file = NULL;
}

/* Map a ring. All tasks share the same memory, so the pages' own address is returned. */
static int64_t call_mmap(struct kernel_task *task, const uintptr_t *arg)
{
	struct file *file = file_of(task, arg[0]);
	struct mapping *map = task->maps;
	int ret;

	if (!file)
		return -EBADF;
	while (map < task->maps + MAX_FILES && map->file)
		map++;
	if (map == task->maps + MAX_FILES)
		return -ENOMEM;
	ret = tally_core_mmap(kernel.core, &task->perf, file->event, arg[1], 0, arg[2],
			      &map->buffer, NULL);
	if (ret)
		return ret;
	__atomic_add_fetch(&file->refs, 1, __ATOMIC_RELAXED);
	map->file = file;
	return (intptr_t)tally_core_buffer_page(map->buffer, 0);
}

static int64_t call_munmap(struct kernel_task *task, const uintptr_t *arg)
{
	for (struct mapping *map = task->maps; map < task->maps + MAX_FILES; map++) {
		if (!map->file || (uintptr_t)tally_core_buffer_page(map->buffer, 0) != arg[0])
			continue;
		unmap(map);
		return 0;
	}
	return -EINVAL;
}

void call_close_all(struct kernel_task *task)
{
	for (size_t i = 0; i < MAX_FILES; i++) {
		if (task->maps[i].file)
			unmap(&task->maps[i]);
		if (task->files[i])
			file_put(task->files[i]);
		task->files[i] = NULL;
	}
}

/* ---- tasks -------------------------------------------------------------------------------- */

static int64_t call_fork(struct kernel_task *task, const uintptr_t *arg)
{
	struct kernel_task *child;
	int32_t tid;
	int ret;

	if (!user_range(arg[0], 4) || !user_range(arg[2], sizeof(child->name)))
		return -EFAULT;
	child = task_new(arg[0], arg[1], (const char *)arg[2]);
	if (!child)
		return -EAGAIN;
	tid = child->perf.tid;
	ret = tally_core_fork(kernel.core, &task->perf, &child->perf, true);
	if (ret) {
		task_free(child);
		return ret;
	}
	for (size_t i = 0; i < MAX_FILES; i++) {
		child->files[i] = task->files[i];
		if (child->files[i])
			__atomic_add_fetch(&child->files[i]->refs, 1, __ATOMIC_RELAXED);
	}
	task_ready(child);
	return tid;
}

static int64_t call_exit(struct kernel_task *task, const uintptr_t *arg)
{
	task_exit();
}

static int64_t call_yield(struct kernel_task *task, const uintptr_t *arg)
{
	task_schedule(false);
	return 0;
}

static int64_t call_wait(struct kernel_task *task, const uintptr_t *arg)
{
	const struct kernel_task *other;

	while ((other = task_find((int32_t)arg[0]))) {
		task_wait_begin(other);
		if (task_find((int32_t)arg[0]))
			task_schedule(false);
	}
	task_ready(task);
	return 0;
}

static int64_t call_write(struct kernel_task *task, const uintptr_t *arg)
{
	if (!user_range(arg[0], arg[1]))
		return -EFAULT;
	uart_write((const char *)arg[0], arg[1]);
	return (int64_t)arg[1];
}

static int64_t call_off(struct kernel_task *task, const uintptr_t *arg)
{
	power_off((uint32_t)arg[0]);
}

static const call_fn calls[CALL_NR] = {
	[CALL_OPEN] = call_open,   [CALL_READ] = call_read,     [CALL_IOCTL] = call_ioctl,
	[CALL_MMAP] = call_mmap,   [CALL_MUNMAP] = call_munmap, [CALL_POLL] = call_poll,
	[CALL_CLOSE] = call_close, [CALL_PRCTL] = call_prctl,   [CALL_FORK] = call_fork,
	[CALL_EXIT] = call_exit,   [CALL_YIELD] = call_yield,   [CALL_WAIT] = call_wait,
	[CALL_WRITE] = call_write, [CALL_OFF] = call_off,
};

int64_t call_dispatch(struct trap_frame *frame)
{
	uintptr_t number = frame->x[X_A7];

	if (number >= CALL_NR)
		return -ENOSYS;
	return calls[number](this_cpu()->current, &frame->x[X_A0]);
}
