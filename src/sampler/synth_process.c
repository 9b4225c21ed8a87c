/* SPDX-License-Identifier: BSD-2-Clause */
/* Synthesize records for existing processes from procfs. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "sampler/synth.h"
#include "symbols/elf/elf.h"

enum { STATUS_MAX = 1 << 16, MAPS_MAX = 1 << 27, NAME_MAX_BYTES = 4096 };

/* Contents of /proc/PID/status. */
struct task {
	int32_t tid, pid, ppid;
	bool is_zombie; /* a process that has exited */
	char comm[64];
};

static const char *status_line(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? at + strlen(key) : NULL;
}

/* Copy a thread's name, in which the kernel escapes newlines and backslashes. The name can be empty
 * or begin with blanks. */
static void copy_name(const char *text, char *name, size_t size)
{
	size_t len = 0;

	for (; *text && *text != '\n' && len + 1 < size; text++) {
		bool is_escaped = text[0] == '\\' && (text[1] == 'n' || text[1] == '\\');

		text += is_escaped;
		name[len++] = is_escaped && *text == 'n' ? '\n' : *text;
	}
	name[len] = '\0';
}

static bool task_read(const struct tally_synth *synth, int32_t pid, int32_t tid,
		      struct task *ret_task)
{
	char path[128], *text;
	const char *tgid, *ppid, *state, *threads;
	size_t len;

	snprintf(path, sizeof(path), "%s/%d/task/%d/status", tally_synth_proc(synth), pid, tid);
	if (tally_file_read(path, STATUS_MAX, &text, &len))
		return false;
	tgid = status_line(text, "\nTgid:");
	ppid = status_line(text, "\nPPid:");
	state = status_line(text, "\nState:\t");
	threads = status_line(text, "\nThreads:");
	*ret_task = (struct task){.tid = tid, .pid = pid};
	ret_task->is_zombie = state && *state == 'Z' && threads && strtol(threads, NULL, 10) <= 1;
	if (tgid)
		ret_task->pid = (int32_t)strtol(tgid, NULL, 10);
	if (ppid)
		ret_task->ppid = (int32_t)strtol(ppid, NULL, 10);
	if (!strncmp(text, "Name:\t", 6))
		copy_name(text + 6, ret_task->comm, sizeof(ret_task->comm));
	free(text);
	return true;
}

void tally_synth_comm(struct tally_synth *synth, int32_t pid, int32_t tid, const char *comm)
{
	tally_synth_begin(synth, PERF_RECORD_COMM, 0, 8 + tally_round_up(strlen(comm) + 1, 8));
	tally_synth_u32(synth, (uint32_t)pid);
	tally_synth_u32(synth, (uint32_t)tid);
	tally_synth_string(synth, comm);
	tally_synth_end(synth);
}

void tally_synth_fork(struct tally_synth *synth, int32_t pid, int32_t ppid, int32_t tid,
		      int32_t ptid)
{
	tally_synth_begin(synth, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC, 24);
	tally_synth_u32(synth, (uint32_t)pid);
	tally_synth_u32(synth, (uint32_t)ppid);
	tally_synth_u32(synth, (uint32_t)tid);
	tally_synth_u32(synth, (uint32_t)ptid);
	tally_synth_u64(synth, 0);
	tally_synth_end(synth);
}

/* The parent of a thread is the main thread of its process. */
static void add_fork(struct tally_synth *synth, const struct task *task)
{
	int32_t parent = task->tid == task->pid ? task->ppid : task->pid;

	tally_synth_fork(synth, task->pid, parent, task->tid, parent);
}

static void add_namespaces(struct tally_synth *synth, const struct task *task)
{
	/* Namespaces in the order of the kernel's indices. */
	static const char *const names[] = {"net", "uts", "ipc", "pid", "user", "mnt", "cgroup"};
	char path[128];

	tally_synth_begin(synth, PERF_RECORD_NAMESPACES, 0, 16 + 16 * TALLY_ARRAY_SIZE(names));
	tally_synth_u32(synth, (uint32_t)task->pid);
	tally_synth_u32(synth, (uint32_t)task->tid);
	tally_synth_u64(synth, TALLY_ARRAY_SIZE(names));
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(names); i++) {
		struct stat st = {0};

		snprintf(path, sizeof(path), "%s/%d/ns/%s", tally_synth_proc(synth), task->pid,
			 names[i]);
		if (stat(path, &st))
			st.st_dev = st.st_ino = 0;
		tally_synth_u64(synth, st.st_dev);
		tally_synth_u64(synth, st.st_ino);
	}
	tally_synth_end(synth);
}

/* ---- maps ------------------------------------------------------------------ */

struct map_line {
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min, prot, flags;
	const char *name;
};

/* Parse a line "start-end perms offset major:minor inode name". */
static bool map_parse(char *line, struct map_line *ret_map)
{
	char perms[8];
	int at = 0;

	*ret_map = (struct map_line){0};
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &ret_map->start, &ret_map->end, perms, &ret_map->pgoff, &ret_map->maj,
		   &ret_map->min, &ret_map->ino, &at) != 7)
		return false;
	ret_map->prot = (perms[0] == 'r' ? PROT_READ : 0) | (perms[1] == 'w' ? PROT_WRITE : 0) |
			(perms[2] == 'x' ? PROT_EXEC : 0);
	ret_map->flags = perms[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	ret_map->name = at ? line + at : "";
	return true;
}

/* Read the build ID of a mapped file through the process's own root. Return its size, or 0. */
static size_t map_build_id(const struct tally_synth *synth, const struct task *task,
			   const struct map_line *map, uint8_t id[TALLY_BUILD_ID_MAX])
{
	char path[NAME_MAX_BYTES + 64];
	size_t size = 0;

	if (map->name[0] != '/')
		return 0;
	snprintf(path, sizeof(path), "%s/%d/root%s", tally_synth_proc(synth), task->pid, map->name);
	return tally_elf_build_id(path, id, &size) ? 0 : size;
}

static void add_map(struct tally_synth *synth, const struct task *task, const struct map_line *map)
{
	uint8_t id[TALLY_BUILD_ID_MAX] = {0};
	size_t id_size = synth->build_ids ? map_build_id(synth, task, map, id) : 0;
	uint16_t misc = PERF_RECORD_MISC_USER;

	misc |= map->prot & PROT_EXEC ? 0 : PERF_RECORD_MISC_MMAP_DATA;
	misc |= id_size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0;
	tally_synth_begin(synth, PERF_RECORD_MMAP2, misc,
			  64 + tally_round_up(strlen(map->name) + 1, 8));
	tally_synth_u32(synth, (uint32_t)task->pid);
	tally_synth_u32(synth, (uint32_t)task->tid);
	tally_synth_u64(synth, map->start);
	tally_synth_u64(synth, map->end - map->start);
	tally_synth_u64(synth, map->pgoff);
	if (id_size) {
		tally_synth_u32(synth, (uint32_t)id_size); /* u8 size and padding */
		tally_str_add_bytes(&synth->out, id, sizeof(id));
	} else {
		tally_synth_u32(synth, map->maj);
		tally_synth_u32(synth, map->min);
		tally_synth_u64(synth, map->ino);
		tally_synth_u64(synth, 0);
	}
	tally_synth_u32(synth, map->prot);
	tally_synth_u32(synth, map->flags);
	tally_synth_string(synth, map->name);
	tally_synth_end(synth);
}

/* Append executable maps, and data maps if requested. Anonymous memory is named "//anon". */
static void add_maps(struct tally_synth *synth, const struct task *task)
{
	char path[128], *text, *line, *save = NULL;
	struct stat st;
	size_t len;
	int ret;

	snprintf(path, sizeof(path), "%s/%d/task/%d/maps", tally_synth_proc(synth), task->pid,
		 task->tid);
	ret = tally_file_read(path, MAPS_MAX, &text, &len);
	synth->hidden += ret == -EACCES || ret == -EPERM;
	if (ret)
		return;
	/* Ignore kernel threads: any user can read their maps, but the maps are empty. */
	synth->others |= len && !stat(path, &st) && st.st_uid != geteuid();
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct map_line map;

		if (!map_parse(line, &map) || strlen(map.name) > NAME_MAX_BYTES)
			continue;
		if (!(map.prot & PROT_EXEC) && !(synth->data_maps && map.prot & PROT_READ))
			continue;
		if (!map.name[0])
			map.name = "//anon";
		add_map(synth, task, &map);
	}
	free(text);
}

/* ---- processes ------------------------------------------------------------- */

static void add_task(struct tally_synth *synth, int32_t pid, int32_t tid)
{
	struct task task;

	/* A zombie has no more samples, and no EXIT record will remove it. */
	if (!task_read(synth, pid, tid, &task) || task.is_zombie)
		return;
	if (synth->tasks) {
		if (synth->parents || tid != pid)
			add_fork(synth, &task);
		if (synth->namespaces)
			add_namespaces(synth, &task);
		tally_synth_comm(synth, task.pid, task.tid, task.comm);
	}
	if (tid == pid && synth->maps)
		add_maps(synth, &task);
}

bool tally_synth_is_zombie(const struct tally_synth *synth, int32_t pid)
{
	struct task task;

	return task_read(synth, pid, pid, &task) && task.is_zombie;
}

int tally_synth_process(struct tally_synth *synth, int32_t pid)
{
	struct dirent *entry;
	char path[128];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%d/task", tally_synth_proc(synth), pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	add_task(synth, pid, pid);
	while ((entry = readdir(dir))) {
		int tid = atoi(entry->d_name);

		if (isdigit((unsigned char)entry->d_name[0]) && tid != pid)
			add_task(synth, pid, tid);
	}
	closedir(dir);
	return tally_str_error(&synth->out);
}

/* Append the process and its descendants. Only children forked by main threads are included. */
static int add_children(struct tally_synth *synth, int32_t pid, unsigned depth)
{
	enum { DEPTH_MAX = 64 };
	char path[128], *text, *at, *end;
	size_t len;
	int ret;

	snprintf(path, sizeof(path), "%s/%d/task/%d/children", tally_synth_proc(synth), pid, pid);
	ret = tally_synth_process(synth, pid);
	if (ret || depth == DEPTH_MAX || tally_file_read(path, STATUS_MAX, &text, &len))
		return ret;
	for (at = text; !ret; at = end) {
		long child = strtol(at, &end, 10);

		if (end == at)
			break;
		ret = add_children(synth, (int32_t)child, depth + 1);
	}
	free(text);
	return ret;
}

int tally_synth_tree(struct tally_synth *synth, int32_t pid)
{
	synth->parents = true;
	return add_children(synth, pid, 0);
}

int tally_synth_processes(struct tally_synth *synth)
{
	DIR *dir = opendir(tally_synth_proc(synth));
	struct dirent *entry;
	int ret = 0;

	synth->parents = true;
	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name);

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    (synth->known && tally_map_get(synth->known, (uint32_t)pid) != TALLY_MAP_NONE))
			continue;
		ret = tally_synth_process(synth, pid);
		if (!ret && synth->pause)
			ret = synth->pause(synth->arg);
	}
	closedir(dir);
	return ret;
}
