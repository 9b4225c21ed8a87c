/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls. Threads make system calls concurrently, and may close files that other threads are
 * using, so each call holds a reference to its file until it returns. */
#include "ports/cortexm/cortexm_calls.h"
#include "ports/cortexm/cortexm_host.h"
#include "ports/cortexm/cortexm_kernel.h"

enum { MAX_FILES = 32 };

/* An open event. References are held by its descriptor, its mappings, and calls in progress. */
struct open_file {
	struct tally_core_event *event;
	uint32_t refs;
	uint32_t wakeups; /* number of notify() calls */
};

static struct open_file *files[MAX_FILES];
static struct open_file reserved; /* placeholder in a slot while its event is being opened */

/* ---- files ---------------------------------------------------------------------------------- */

static struct open_file *file_get(int fd)
{
	uint32_t flags = irq_save();
	struct open_file *file = fd >= 0 && fd < MAX_FILES ? files[fd] : NULL;

	if (file == &reserved)
		file = NULL;
	if (file)
		file->refs++;
	irq_restore(flags);
	return file;
}

static void file_put(struct open_file *file)
{
	if (__atomic_sub_fetch(&file->refs, 1, __ATOMIC_ACQ_REL))
		return;
	tally_core_close(rtos.core, file->event);
	heap_free(file, sizeof(*file));
}

static int slot_reserve(void)
{
	uint32_t flags = irq_save();
	int fd = 0;

	while (fd < MAX_FILES && files[fd])
		fd++;
	if (fd < MAX_FILES)
		files[fd] = &reserved;
	irq_restore(flags);
	return fd < MAX_FILES ? fd : -ENOSPC;
}

/* Release the file that event_of_fd() returned to the core during a call. */
static void fd_file_put(struct thread *thread)
{
	struct open_file *file = thread->asked;

	thread->asked = NULL;
	if (file)
		file_put(file);
}

/* Look up a descriptor for the core. A call looks up only one descriptor, but possibly several
 * times. */
struct tally_core_event *call_event_of_fd(struct thread *thread, int fd)
{
	fd_file_put(thread);
	thread->asked = file_get(fd);
	return thread->asked ? thread->asked->event : NULL;
}

void call_notify(void *file)
{
	struct open_file *open = file;

	open->wakeups++;
	thread_wake(&open->wakeups);
}

/* ---- calls ---------------------------------------------------------------------------------- */

int perf_open(struct perf_event_attr *attr, int32_t tid, int32_t cpu, int group_fd,
	      unsigned long flags, struct tally_core_refusal *ret_why)
{
	struct open_file *file = heap_alloc(sizeof(*file), 0);
	int fd, ret;

	if (!file)
		return -ENOMEM;
	fd = slot_reserve();
	ret = fd;
	if (fd >= 0)
		ret = tally_core_open(rtos.core, &rtos.current->perf, attr, tid, cpu, group_fd,
				      flags, &file->event, ret_why);
	fd_file_put(rtos.current);
	if (ret < 0) {
		if (fd >= 0)
			files[fd] = NULL;
		heap_free(file, sizeof(*file));
		return ret;
	}
	file->refs = 1;
	tally_core_event_set_cookie(file->event, file);
	__atomic_store_n(&files[fd], file, __ATOMIC_RELEASE);
	return fd;
}

int perf_close(int fd)
{
	uint32_t flags = irq_save();
	struct open_file *file = fd >= 0 && fd < MAX_FILES ? files[fd] : NULL;

	if (file == &reserved)
		file = NULL;
	if (file)
		files[fd] = NULL;
	irq_restore(flags);
	if (!file)
		return -EBADF;
	file_put(file);
	return 0;
}

int64_t perf_read(int fd, void *buffer, size_t len)
{
	struct open_file *file = file_get(fd);
	int64_t ret;

	if (!file)
		return -EBADF;
	ret = tally_core_read(rtos.core, file->event, buffer, len);
	file_put(file);
	return ret;
}

int perf_ioctl(int fd, unsigned long request, uintptr_t arg)
{
	struct open_file *file = file_get(fd);
	int ret;

	if (!file)
		return -EBADF;
	ret = tally_core_ioctl(rtos.core, &rtos.current->perf, file->event, request, arg, NULL);
	fd_file_put(rtos.current);
	file_put(file);
	return ret;
}

/* Poll an event. A notification between the check and the wait changes the number of wakeups, so
 * the notification is not missed. */
int perf_poll(int fd, bool wait)
{
	struct open_file *file = file_get(fd);
	uint32_t wakeups;
	unsigned events;

	if (!file)
		return -EBADF;
	for (;;) {
		wakeups = __atomic_load_n(&file->wakeups, __ATOMIC_ACQUIRE);
		events = tally_core_poll(rtos.core, file->event);
		if (events || !wait)
			break;
		thread_wait(&file->wakeups, wakeups);
	}
	file_put(file);
	return (int)events;
}

int perf_prctl(int option)
{
	return tally_core_prctl(rtos.core, &rtos.current->perf, option);
}

/* ---- mappings ------------------------------------------------------------------------------- */

/* Map a ring buffer. There is no MMU to make its pages contiguous, so settings.contiguous is set to
 * allocate them contiguously. */
int perf_map(int fd, size_t data_len, struct perf_mapping *ret_mapping)
{
	struct perf_mapping mapping = {.file = file_get(fd), .data_len = data_len};
	int ret;

	if (!mapping.file)
		return -EBADF;
	ret = tally_core_mmap(rtos.core, &rtos.current->perf, mapping.file->event,
			      tally_core_mmap_size(rtos.core, data_len), 0, true, &mapping.buffer,
			      NULL);
	if (ret) {
		file_put(mapping.file);
		return ret;
	}
	mapping.page = tally_core_buffer_page(mapping.buffer, 0);
	mapping.data = (const uint8_t *)mapping.page + mapping.page->data_offset;
	*ret_mapping = mapping;
	return 0;
}

void perf_unmap(struct perf_mapping *mapping)
{
	tally_core_munmap(rtos.core, mapping->file->event, mapping->buffer);
	file_put(mapping->file);
}
