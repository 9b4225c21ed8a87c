/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls that the host implements, and its descriptors. The descriptors are eventfds, so other
 * processes can poll them as well. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/clock.h"
#include "hosts/user/user_files.h"
#include "hosts/user/thread_checks.h"
#include "hosts/user/user_signals.h"
#include "hosts/user/supervisor.h"
#include "hosts/user/user_private.h"

struct user_file *user_file_find(const struct tally_user *user, int fd)
{
	tally_vec_for_each (file, &user->files) {
		if ((*file)->fd == fd && !(*file)->closed)
			return *file;
	}
	return NULL;
}

void user_files_wake(const struct tally_user *user)
{
	tally_vec_for_each (file, &user->files) {
		if (!(*file)->closed)
			eventfd_write((*file)->fd, 1);
	}
}

/* Free a file once its descriptor is closed and its mappings are removed. */
static void file_put(struct tally_user *user, struct user_file *file)
{
	if (!file->closed || file->nr_mapped)
		return;
	tally_vec_for_each (at, &user->files) {
		if (*at != file)
			continue;
		*at = user->files.data[--user->files.len];
		break;
	}
	user->nr_sampled_counts -= file->samples_counts;
	tally_core_close(user->core, file->event);
	free(file);
}

static void file_unmap(struct tally_user *user, struct user_file *file)
{
	file->nr_mapped--;
	tally_core_munmap(user->core, file->event, file->buffer);
	file_put(user, file);
}

static void file_close(struct tally_user *user, struct user_file *file)
{
	user_signals_used_up(user, file, false);
	close(file->fd);
	file->fd = -1;
	file->closed = true;
	file_put(user, file);
}

void user_files_close(struct tally_user *user)
{
	while (user->files.len) {
		struct user_file *file = user->files.data[user->files.len - 1];

		if (file->nr_mapped)
			file_unmap(user, file);
		else
			file_close(user, file);
	}
	tally_vec_free(&user->files);
}

/* ---- opening ------------------------------------------------------------------------ */

/* Return true if the event samples a count that is read only on demand. */
static bool samples_counts(const struct perf_event_attr *attr)
{
	return attr->sample_period && attr->config != PERF_COUNT_SW_CPU_CLOCK &&
	       attr->config != PERF_COUNT_SW_TASK_CLOCK && attr->config != PERF_COUNT_SW_DUMMY;
}

static int file_new(struct tally_user *user, struct user_file **ret_file)
{
	struct user_file *file = calloc(1, sizeof(*file));
	int ret;

	if (!file)
		return -ENOMEM;
	file->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	ret = file->fd < 0 ? -errno : tally_vec_push(&user->files, file);
	if (ret) {
		if (file->fd >= 0)
			close(file->fd);
		free(file);
		return ret;
	}
	*ret_file = file;
	return 0;
}

/* Set up parts of the host that only some events need. */
static void apply_attr(struct tally_user *user, struct user_file *file, int32_t tid)
{
	const struct perf_event_attr *attr = tally_core_event_attr(file->event);
	struct user_task *task = user_task_find(user, tid);

	file->tid = tid;
	if (task && attr->enable_on_exec)
		task->on_exec = true;
	file->samples_counts = samples_counts(attr);
	user->nr_sampled_counts += file->samples_counts;
}

/* Replay the thread's usage so far, so that a change to its events affects only usage from now
 * on. */
static void catch_up_before_change(struct tally_user *user, int32_t tid)
{
	struct user_task *task = user_task_find(user, tid);

	if (task)
		user_catch_up_task(user, task);
	user_catch_up(user, true);
}

static int open_locked(struct tally_user *user, struct perf_event_attr *attr, int32_t tid,
		       int32_t cpu, int group_fd, unsigned long flags)
{
	struct user_file *file;
	int ret;

	if (tid == user->self.perf.tid)
		user->self_used = true;
	catch_up_before_change(user, tid);
	ret = file_new(user, &file);
	if (ret)
		return ret;
	user_call_begin(user);
	ret = tally_core_open(user->core, &user->self.perf, attr, tid, cpu, group_fd, flags,
			      &file->event, NULL);
	if (ret) {
		close(file->fd);
		free(file);
		user->files.len--;
	} else {
		tally_core_event_set_cookie(file->event, file);
		apply_attr(user, file, tid);
	}
	user_call_end(user);
	return ret ? ret : file->fd;
}

/* Have the supervisor recompute when the next samples are due. Called when events have been started
 * or changed. */
static void request_reschedule(struct tally_user *user)
{
	user->anew = true;
	user_supervisor_wake(user);
}

/* Open an event. For the core, a task that cannot be attached does not exist; the core reports this
 * only if the attr has no errors. */
int tally_user_open(struct tally_user *user, struct perf_event_attr *attr, int32_t pid, int32_t cpu,
		    int group_fd, unsigned long flags)
{
	int32_t tid = pid ? pid : user->self.perf.tid;
	int ret, refused;

	if (pid < 0 || flags & PERF_FLAG_PID_CGROUP)
		return -EACCES;
	if (attr->context_switch || (attr->sample_period && !user->settings.samples))
		return -EOPNOTSUPP;
	user_lock(user);
	refused = user_attach(user, tid);
	ret = open_locked(user, attr, tid, cpu, group_fd, flags);
	if (ret == -ESRCH && refused)
		ret = refused;
	if (ret >= 0 && !attr->disabled)
		request_reschedule(user);
	user_unlock(user);
	return ret;
}

int tally_user_close(struct tally_user *user, int fd)
{
	struct user_file *file;

	user_lock(user);
	file = user_file_find(user, fd);
	if (file) {
		user_call_begin(user);
		file_close(user, file);
		user_call_end(user);
	}
	user_unlock(user);
	return file ? 0 : -EBADF;
}

/* ---- reading, control and mappings ----------------------------------------------------- */

/* Replay the thread's usage since the last replay. Costs one pread(2) if the thread has not run. */
static void settle_if_ran(struct tally_user *user, int32_t tid)
{
	struct user_task *task = tid == user->self.perf.tid ? NULL : user_task_find(user, tid);
	struct user_reading now;

	if (!task || task->is_done)
		return;
	now = task->seen;
	if (!user_proc_read_time(&task->proc, &now) && now.ns != task->seen.ns)
		user_catch_up_task(user, task);
}

int64_t tally_user_read(struct tally_user *user, int fd, void *to, size_t len)
{
	struct user_file *file;
	int64_t ret = -EBADF;

	user_lock(user);
	file = user_file_find(user, fd);
	if (file) {
		settle_if_ran(user, file->tid);
		user_catch_up(user, true);
		user_call_begin(user);
		ret = tally_core_read(user->core, file->event, to, len);
		user_call_end(user);
	}
	user_unlock(user);
	return ret;
}

int tally_user_ioctl(struct tally_user *user, int fd, unsigned long request, uintptr_t arg)
{
	struct user_file *file;
	int ret = -EBADF;

	user_lock(user);
	file = user_file_find(user, fd);
	if (file) {
		if (request != PERF_EVENT_IOC_ID)
			catch_up_before_change(user, file->tid);
		if (request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_REFRESH)
			user_signals_used_up(user, file, false);
		user_call_begin(user);
		ret = tally_core_ioctl(user->core, &user->self.perf, file->event, request, arg,
				       NULL);
		user_call_end(user);
		if (!ret && request != PERF_EVENT_IOC_ID && request != PERF_EVENT_IOC_DISABLE)
			request_reschedule(user);
	}
	user_unlock(user);
	return ret;
}

static int mmap_locked(struct tally_user *user, struct user_file *file, size_t len, bool writable,
		       void **ret_memory)
{
	struct tally_core_buffer *buffer;
	int ret;

	user_call_begin(user);
	ret = tally_core_mmap(user->core, &user->self.perf, file->event, len, 0, writable, &buffer,
			      NULL);
	user_call_end(user);
	if (ret)
		return ret;
	file->buffer = buffer;
	file->nr_mapped++;
	file->memory = tally_core_buffer_page(buffer, 0);
	*ret_memory = file->memory;
	return 0;
}

int tally_user_mmap(struct tally_user *user, int fd, size_t len, bool writable, void **ret_memory)
{
	struct user_file *file;
	int ret;

	user_lock(user);
	file = user_file_find(user, fd);
	ret = file ? mmap_locked(user, file, len, writable, ret_memory) : -EBADF;
	user_unlock(user);
	return ret;
}

int tally_user_munmap(struct tally_user *user, void *memory, size_t len)
{
	int ret = -EINVAL;

	user_lock(user);
	tally_vec_for_each (file, &user->files) {
		if (!(*file)->nr_mapped || (*file)->memory != memory)
			continue;
		user_call_begin(user);
		file_unmap(user, *file);
		user_call_end(user);
		ret = 0;
		break;
	}
	user_unlock(user);
	return ret;
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* Update `polls` after a wakeup. A wakeup means that the core has events to report or that pollers
 * must check again. Returns the number of ready descriptors, including descriptors that are not
 * events. */
static int poll_core(struct tally_user *user, struct pollfd *polls, size_t nr)
{
	int ready = 0;

	user_lock(user);
	for (size_t i = 0; i < nr; i++) {
		struct user_file *file =
			polls[i].revents ? user_file_find(user, polls[i].fd) : NULL;
		eventfd_t told;

		if (file) {
			eventfd_read(file->fd, &told);
			polls[i].revents = (short)tally_core_poll(user->core, file->event);
		}
		ready += polls[i].revents != 0;
	}
	user_unlock(user);
	return ready;
}

int tally_user_poll(struct tally_user *user, struct pollfd *polls, size_t nr, int timeout_ms)
{
	uint64_t until = tally_clock_now() + (uint64_t)TALLY_MAX(timeout_ms, 0) * 1000000;
	int ready;

	for (;;) {
		ready = poll(polls, nr, timeout_ms);
		if (ready < 0)
			return -errno;
		ready = ready ? poll_core(user, polls, nr) : 0;
		if (ready || !timeout_ms)
			return ready;
		if (timeout_ms > 0 && tally_clock_now() >= until)
			return 0;
		if (timeout_ms > 0)
			timeout_ms = (int)((until - tally_clock_now()) / 1000000) + 1;
	}
}
