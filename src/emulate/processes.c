/* SPDX-License-Identifier: BSD-2-Clause */
/* Track processes: fork, exec and exit. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emulate/server_private.h"

bool emulate_is_thread(int32_t pid, int32_t tid)
{
	char path[64];

	if (tid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	return tid == pid || !access(path, F_OK);
}

bool emulate_rights(int32_t tid, struct emulate_rights *ret_rights)
{
	struct emulate_rights rights = {0};
	char path[64], line[256];
	struct stat status;
	int found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		found += sscanf(line, "Uid: %u %u %u", &rights.user[0], &rights.user[1],
				&rights.user[2]) == 3;
		found += sscanf(line, "Gid: %u %u %u", &rights.group[0], &rights.group[1],
				&rights.group[2]) == 3;
		found += sscanf(line, "CapEff: %" SCNx64, &rights.capabilities) == 1;
	}
	if (!fstat(fileno(file), &status))
		rights.owner = status.st_uid;
	fclose(file);
	if (found == 3)
		*ret_rights = rights;
	return found == 3;
}

/* ---- the program of a process ------------------------------------------------- */

static void read_comm(int32_t pid, char comm[16])
{
	char path[64];
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (file) {
		len = fread(comm, 1, 15, file);
		fclose(file);
	}
	comm[len] = '\0';
}

static bool read_program(int32_t pid, struct stat *ret_program)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return !stat(path, ret_program);
}

static void record_program(struct emulate_process *process)
{
	struct stat program = {0};

	read_program(process->pid, &program);
	process->device = program.st_dev;
	process->inode = program.st_ino;
	process->ends = false;
	read_comm(process->pid, process->comm);
}

/* Check whether the process has executed another program. If the process has exited, the only
 * information left is its name, which the process may have changed itself. A changed name is
 * treated as an exec, unless END was received. */
static bool has_executed(const struct emulate_process *process)
{
	struct stat program;
	char comm[16];

	if (read_program(process->pid, &program))
		return program.st_dev != process->device || program.st_ino != process->inode;
	read_comm(process->pid, comm);
	return !process->ends && *comm && strcmp(comm, process->comm);
}

void emulate_process_check_exec(struct tally_emulate_server *server,
				struct emulate_process *process)
{
	if (has_executed(process))
		emulate_process_exec(server, process);
}

/* ---- process table -------------------------------------------------------------- */

static struct emulate_process *process_new(struct tally_emulate_server *server, int32_t pid)
{
	struct emulate_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->pid = pid;
	record_program(process);
	process->fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (process->fd < 0 || tally_map_set(&server->processes, (uint64_t)pid, (uintptr_t)process))
		goto failed;
	if (!emulate_watch(server, server->facts_fd, process->fd, EPOLLIN, EMULATE_PROCESS,
			   process))
		return process;
	tally_map_remove(&server->processes, (uint64_t)pid);
failed:
	if (process->fd >= 0)
		close(process->fd);
	free(process);
	return NULL;
}

/* Return the parent of a process according to procfs, or 0 if it is unknown. */
static int32_t parent_of(int32_t pid)
{
	char path[64], line[128];
	int parent = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "PPid: %d", &parent) == 1)
			break;
	if (file)
		fclose(file);
	return parent;
}

struct emulate_process *emulate_process_find(const struct tally_emulate_server *server, int32_t pid)
{
	uint64_t found = tally_map_get(&server->processes, (uint64_t)pid);

	return found == TALLY_MAP_NONE ? NULL : (struct emulate_process *)(uintptr_t)found;
}

struct emulate_process *emulate_process_get(struct tally_emulate_server *server, int32_t pid,
					    int32_t parent)
{
	struct emulate_process *process = emulate_process_find(server, pid);

	if (process)
		return process;
	if (server->processes.len >= EMULATE_PROCESSES_MAX)
		return NULL;
	process = process_new(server, pid);
	if (!process)
		return NULL;
	parent = parent ? parent : parent_of(pid);
	if (!emulate_process_find(server, parent))
		parent = 0;
	if (server->backend->process_fork)
		server->backend->process_fork(server->backend, parent, pid);
	return process;
}

/* Drop a process's mappings, and free the events that are no longer used. */
static void process_mappings_drop(struct tally_emulate_server *server, int32_t pid, bool ended)
{
	TALLY_VEC(struct emulate_event *) gone = {0};
	const struct tally_map_slot *slot;
	size_t at = 0;

	while ((slot = tally_map_next(&server->events, &at))) {
		struct emulate_event *event = (struct emulate_event *)(uintptr_t)slot->value;

		emulate_event_unmap(event, pid, 0);
		event->abandoned |= ended && event->hung && event->opener.pid == pid;
		if (event->abandoned && !event->mappings.len && tally_vec_push(&gone, event))
			break;
	}
	tally_vec_for_each (event, &gone)
		emulate_event_free(*event);
	tally_vec_free(&gone);
}

void emulate_process_exec(struct tally_emulate_server *server, struct emulate_process *process)
{
	process_mappings_drop(server, process->pid, false);
	record_program(process);
	if (server->backend->process_exec)
		server->backend->process_exec(server->backend, process->pid);
}

void emulate_process_exit(struct tally_emulate_server *server, struct emulate_process *process)
{
	emulate_process_check_exec(server, process);
	process_mappings_drop(server, process->pid, true);
	if (server->backend->process_exit)
		server->backend->process_exit(server->backend, process->pid);
	tally_map_remove(&server->processes, (uint64_t)process->pid);
	if (process->fd >= 0) {
		emulate_unwatch(server, process->fd);
		close(process->fd);
	}
	free(process);
}
