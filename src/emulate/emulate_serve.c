/* SPDX-License-Identifier: BSD-2-Clause */
/* Handlers for the calls that clients may make. They check the arguments, then call the backend. */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arith.h"
#include "emulate/ioctls.h"
#include "emulate/server_private.h"
#include "tally/abi.h"
#include "tally/classic.h"

/* Handler arguments. The message data is followed by zeros. */
struct emulate_call {
	struct tally_emulate_server *server;
	const struct tally_emulate_caller *caller;
	const struct tally_emulate_request *request;
	struct emulate_event *event; /* NULL if the operation does not concern an event */
	int *ret_fd;
};

static int64_t serve_start(struct emulate_call *call)
{
	struct tally_emulate_server *server = call->server;
	struct emulate_process *process = emulate_process_get(server, call->caller->pid, 0);

	if (!process)
		return -ENOMEM;
	emulate_process_exec(server, process);
	server->reply.value[0] = server->backend->caller_waits != NULL;
	return 0;
}

static int64_t serve_forked(struct emulate_call *call)
{
	return emulate_process_get(call->server, call->caller->pid, 0) ? 0 : -ENOMEM;
}

/* Register a child of the caller. The parent is read from procfs, as a client's claim is not
 * trusted. */
static int64_t serve_forks(struct emulate_call *call)
{
	int32_t child = (int32_t)call->request->argument[0];

	return child > 0 && emulate_process_get(call->server, child, 0) ? 0 : -ESRCH;
}

static int64_t serve_end(struct emulate_call *call)
{
	struct tally_emulate_backend *backend = call->server->backend;
	struct emulate_process *process = emulate_process_find(call->server, call->caller->pid);

	if (!process)
		return 0;
	process->ends = true;
	if (backend->process_end)
		backend->process_end(backend, process->pid);
	return 0;
}

/* ---- events --------------------------------------------------------------- */

/* Find the event that `other` refers to. As in the kernel, a descriptor that is not an event fails
 * with EBADF. */
static int other_find(struct emulate_call *call, void **ret_event)
{
	struct emulate_event *other;

	*ret_event = NULL;
	if (call->request->other == TALLY_EMULATE_NO_GROUP)
		return 0;
	other = emulate_event_find(call->server, call->request->other);
	if (!other)
		return -EBADF;
	*ret_event = other->event;
	return 0;
}

/* Apply the kernel's rule for access to another task: the target's user and group IDs must all
 * equal the caller's, and the target must be dumpable. */
static bool may_ptrace(const struct emulate_rights *caller, const struct emulate_rights *target)
{
	for (int i = 0; i < 3; i++)
		if (target->user[i] != caller->user[1] || target->group[i] != caller->group[1])
			return false;
	return target->owner == caller->user[1];
}

/* Return true if the caller is as privileged as this process, that is, if it has the same effective
 * user ID and at least the same capabilities. The backend acts with this process's privileges. */
static bool has_server_rights(const struct emulate_rights *caller)
{
	struct emulate_rights ours;

	return emulate_rights(getpid(), &ours) && caller->user[1] == ours.user[1] &&
	       (caller->capabilities & ours.capabilities) == ours.capabilities;
}

/* Check whether the caller may open the event. A program that has dropped privileges may only do
 * what its remaining privileges permit. If the target task does not exist, return true so that the
 * backend reports the error, or false if the event has already been opened (`is_open`). */
static bool may_open(const struct emulate_call *call, const struct tally_emulate_open *open,
		     bool is_open)
{
	struct emulate_rights caller, target;

	if (!open->pid || (open->pid < 0 && open->cpu == -1) ||
	    (open->pid > 0 && emulate_is_thread(call->caller->pid, open->pid)))
		return true;
	if (!emulate_rights(call->caller->tid, &caller))
		return false;
	if (has_server_rights(&caller))
		return true;
	if (open->pid < 0)
		return false;
	return emulate_rights(open->pid, &target) ? may_ptrace(&caller, &target) : !is_open;
}

static uint64_t inode_of(int fd)
{
	struct stat status;

	return fstat(fd, &status) ? 0 : status.st_ino;
}

/* Known flags. Other flags are rejected before the attr is checked. */
#define PERF_FLAGS \
	(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP | PERF_FLAG_FD_CLOEXEC)

static int64_t serve_open(struct emulate_call *call)
{
	struct tally_emulate_server *server = call->server;
	const struct tally_emulate_request *request = call->request;
	struct tally_emulate_open open = {
		.attr = server->data,
		.pid = (int32_t)request->argument[0],
		.cpu = (int32_t)request->argument[1],
		.flags = (unsigned long)request->argument[2],
	};
	struct emulate_event *event;
	int ret, fd;

	if (open.flags & ~PERF_FLAGS)
		return -EINVAL;
	if (!may_open(call, &open, false))
		return -EACCES;
	if (request->len < 2 * sizeof(uint32_t))
		return -EFAULT;
	open.is_group_bad = other_find(call, &open.group) != 0;
	if (!emulate_process_get(server, call->caller->pid, 0))
		return -ENOMEM;
	ret = emulate_event_new(server, call->caller, &event, &fd);
	if (ret)
		return ret;
	open.wakes = event;
	open.socket = inode_of(fd);
	ret = server->backend->event_open(server->backend, call->caller, &open, &event->event);
	if (ret) {
		event->event = NULL;
		emulate_event_free(event);
		close(fd);
		if (ret == -E2BIG)
			memcpy(&server->reply.value[0], server->data + 4, sizeof(uint32_t));
		return ret;
	}
	/* Check again: the TID may not have been in use at the first check. */
	if (!may_open(call, &open, true)) {
		emulate_event_free(event);
		close(fd);
		return -EACCES;
	}
	*call->ret_fd = fd;
	return 0;
}

static int64_t serve_read(struct emulate_call *call)
{
	struct tally_emulate_server *server = call->server;
	uint64_t len = TALLY_MIN(call->request->argument[0], (uint64_t)TALLY_EMULATE_DATA_MAX);
	int64_t ret = server->backend->event_read(server->backend, call->caller, call->event->event,
						  server->data, len);

	server->reply.len = ret > 0 ? (uint32_t)ret : 0;
	return ret;
}

/* Return true for BPF requests. BPF programs are in the kernel and cannot be passed on. */
static bool is_refused(uint32_t request)
{
	return request == (uint32_t)PERF_EVENT_IOC_SET_BPF ||
	       request == (uint32_t)PERF_EVENT_IOC_QUERY_BPF;
}

/* Check the size and format of a request's data. */
static bool data_fits(const struct emulate_call *call, const struct tally_emulate_ioctl *kind)
{
	uint32_t len = call->request->len;
	const uint8_t *data = call->server->data;

	switch (kind->kind) {
	case TALLY_EMULATE_POINTER: return len == kind->in;
	case TALLY_EMULATE_STRING: return len && len <= kind->in && !data[len - 1];
	case TALLY_EMULATE_ATTR: return len >= 2 * sizeof(uint32_t);
	default: return !len;
	}
}

static int64_t serve_ioctl(struct emulate_call *call)
{
	struct tally_emulate_server *server = call->server;
	uint32_t request = (uint32_t)call->request->argument[0];
	struct tally_emulate_ioctl kind = tally_emulate_ioctl_find(request);
	uintptr_t argument = (uintptr_t)call->request->argument[1];
	void *other;
	int64_t ret = other_find(call, &other);

	if (call->server->backend->is_classic && tally_classic_check_request(request))
		return -ENOTTY;
	if (is_refused(request))
		return -EINVAL;
	if (kind.kind == TALLY_EMULATE_FD && ret)
		return ret;
	if (!data_fits(call, &kind))
		return -EFAULT;
	if (kind.kind != TALLY_EMULATE_VALUE)
		argument = (uintptr_t)server->data;
	ret = server->backend->event_control(server->backend, call->caller, call->event->event,
					     request, argument,
					     kind.kind == TALLY_EMULATE_FD ? other : NULL);
	server->reply.len = ret < 0 ? 0 : kind.out;
	return ret;
}

static int64_t serve_mmap(struct emulate_call *call)
{
	struct tally_emulate_server *server = call->server;
	struct emulate_event *event = call->event;
	uint64_t flags = call->request->argument[2];
	struct emulate_mapping mapping = {.pid = call->caller->pid};
	struct tally_emulate_map map;
	int64_t ret;

	if (!(flags & TALLY_EMULATE_MAP_SHARED) || call->request->argument[0] > SIZE_MAX / 2)
		return -EINVAL;
	if (tally_vec_reserve(&event->mappings, event->mappings.len + 1))
		return -ENOMEM;
	ret = server->backend->ring_map(server->backend, call->caller, event->event,
					call->request->argument[0], call->request->argument[1],
					flags & TALLY_EMULATE_MAP_WRITE, &map);
	if (ret)
		return ret;
	mapping.number = ++server->mappings;
	mapping.mapping = map.mapping;
	(void)tally_vec_push(&event->mappings, mapping);
	server->reply.value[0] = map.offset;
	server->reply.value[1] = mapping.number;
	*call->ret_fd = map.fd;
	return 0;
}

static int64_t serve_munmap(struct emulate_call *call)
{
	if (!call->request->argument[0])
		return -EINVAL;
	emulate_event_unmap(call->event, call->caller->pid, call->request->argument[0]);
	if (call->event->abandoned && !call->event->mappings.len)
		emulate_event_free(call->event);
	return 0;
}

/* Apply the request to the events that the calling thread has opened, as on Linux. */
static void opened_control(const struct emulate_call *call, uint32_t request)
{
	struct tally_emulate_backend *backend = call->server->backend;
	const struct tally_map_slot *slot;
	size_t at = 0;

	while ((slot = tally_map_next(&call->server->events, &at))) {
		struct emulate_event *event = (struct emulate_event *)(uintptr_t)slot->value;

		if (event->opener.tid == call->caller->tid)
			backend->event_control(backend, call->caller, event->event, request, 0,
					       NULL);
	}
}

static int64_t serve_prctl(struct emulate_call *call)
{
	struct tally_emulate_backend *backend = call->server->backend;
	bool enable = call->request->argument[0] == PR_TASK_PERF_EVENTS_ENABLE;
	uint32_t request =
		enable ? (uint32_t)PERF_EVENT_IOC_ENABLE : (uint32_t)PERF_EVENT_IOC_DISABLE;

	if (!enable && call->request->argument[0] != PR_TASK_PERF_EVENTS_DISABLE)
		return -EINVAL;
	if (backend->task_control)
		backend->task_control(backend, call->caller, request);
	else
		opened_control(call, request);
	return 0;
}

static int64_t serve_wait(struct emulate_call *call)
{
	struct tally_emulate_backend *backend = call->server->backend;

	if (backend->caller_waits)
		backend->caller_waits(backend, call->caller);
	return 0;
}

static const struct {
	int64_t (*serve)(struct emulate_call *call);
	bool of_event;
} calls[TALLY_EMULATE_NR_OPERATIONS] = {
	[TALLY_EMULATE_START] = {serve_start, false},
	[TALLY_EMULATE_FORK_CHILD] = {serve_forked, false},
	[TALLY_EMULATE_FORK_PARENT] = {serve_forks, false},
	[TALLY_EMULATE_END] = {serve_end, false},
	[TALLY_EMULATE_OPEN] = {serve_open, false},
	[TALLY_EMULATE_READ] = {serve_read, true},
	[TALLY_EMULATE_IOCTL] = {serve_ioctl, true},
	[TALLY_EMULATE_MMAP] = {serve_mmap, true},
	[TALLY_EMULATE_MUNMAP] = {serve_munmap, true},
	[TALLY_EMULATE_PRCTL] = {serve_prctl, false},
	[TALLY_EMULATE_WAIT] = {serve_wait, false},
};

void emulate_serve(struct tally_emulate_server *server, const struct tally_emulate_caller *caller,
		   int *ret_fd)
{
	const struct tally_emulate_request *request = &server->request;
	struct emulate_call call = {
		.server = server, .caller = caller, .request = request, .ret_fd = ret_fd};

	server->reply = (struct tally_emulate_reply){.magic = TALLY_EMULATE_MAGIC};
	*ret_fd = -1;
	if (calls[request->operation].of_event) {
		call.event = emulate_event_find(server, request->event);
		if (!call.event) {
			server->reply.result = -EBADF;
			return;
		}
	}
	server->reply.result = calls[request->operation].serve(&call);
}
