/* SPDX-License-Identifier: BSD-2-Clause */
/* report --tasks and --mmaps: the tasks of a recording as a tree. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "abi/abi_record.h"
#include "base/escape.h"
#include "base/intern.h"
#include "cli/main/output_stream.h"
#include "cli/report/report_records.h"

enum { NONE = UINT32_MAX };

/* A task. If its TID is used again, that is another task. */
struct tree_task {
	int32_t pid, tid, ppid;                                 /* ppid: -1 if unknown */
	uint32_t comm;                                          /* in tasks.texts */
	uint32_t parent, first_child, last_child, next_sibling; /* or NONE */
	uint32_t first_map, last_map;                           /* or NONE */
	bool exited;
};

struct task_map {
	uint64_t start, end, pgoff, ino;
	uint32_t prot, flags, name, next;
};

struct tasks {
	TALLY_VEC(struct tree_task) all;
	TALLY_VEC(struct task_map) maps;
	TALLY_VEC(uint32_t) by_tid; /* newest task, by number of the TID in `tids` */
	struct tally_intern tids, texts;
	bool keeps_maps;
	struct tally_str out;
};

static void link_child(struct tasks *tasks, uint32_t parent, uint32_t child)
{
	struct tree_task *of = &tasks->all.data[parent];

	if (of->last_child == NONE)
		of->first_child = child;
	else
		tasks->all.data[of->last_child].next_sibling = child;
	of->last_child = child;
}

/* Add a task and make it the newest one with its TID. */
static int add_task(struct tasks *tasks, const struct tree_task *task, uint32_t tid_number)
{
	uint32_t number = (uint32_t)tasks->all.len;

	if (tally_vec_push(&tasks->all, *task))
		return -ENOMEM;
	while (tasks->by_tid.len <= tid_number)
		if (tally_vec_push(&tasks->by_tid, NONE))
			return -ENOMEM;
	tasks->by_tid.data[tid_number] = number;
	if (task->parent != NONE)
		link_child(tasks, task->parent, number);
	return 0;
}

static int find_tid(struct tasks *tasks, int32_t tid, uint32_t *ret_number, uint32_t *ret_task)
{
	int ret = tally_intern(&tasks->tids, (const char *)&tid, sizeof(tid), ret_number);

	*ret_task =
		!ret && *ret_number < tasks->by_tid.len ? tasks->by_tid.data[*ret_number] : NONE;
	return ret;
}

/* Get the newest task with this TID. Add one without a parent if there is none. */
static int get_task(struct tasks *tasks, int32_t pid, int32_t tid, uint32_t *ret_task)
{
	struct tree_task task = {pid, tid, -1, 0, NONE, NONE, NONE, NONE, NONE, NONE, false};
	uint32_t number;
	char name[16];
	int ret = find_tid(tasks, tid, &number, ret_task), len;

	if (ret || *ret_task != NONE)
		return ret;
	*ret_task = (uint32_t)tasks->all.len;
	len = snprintf(name, sizeof(name), ":%" PRId32, tid);
	ret = tally_intern(&tasks->texts, name, (size_t)len, &task.comm);
	return ret ? ret : add_task(tasks, &task, number);
}

/* Return true if a fork is that of a task that is already known: the kernel and the program that
 * recorded may both describe a task that was created when the recording began. */
static bool is_known(const struct tasks *tasks, uint32_t task, const struct tally_task *fork)
{
	const struct tree_task *old = &tasks->all.data[task];

	return !old->exited && old->pid == fork->pid && old->ppid == fork->ppid;
}

/* Give a task that has been named only as a parent its own parent. Returns false if it has one, or
 * would become its own ancestor, or is too deep to know. */
static bool adopt(struct tasks *tasks, uint32_t task, const struct tree_task *known)
{
	enum { DEEPEST = 256 };
	struct tree_task *old = &tasks->all.data[task];
	uint32_t at = known->parent;

	if (old->exited || old->pid != known->pid || old->ppid != -1 || !old->tid)
		return false;
	for (int depth = 0; at != task && tasks->all.data[at].parent != NONE; depth++) {
		if (depth == DEEPEST)
			return false;
		at = tasks->all.data[at].parent;
	}
	if (at == task)
		return false;
	old->ppid = known->ppid;
	old->parent = known->parent;
	link_child(tasks, known->parent, task);
	return true;
}

static int on_fork(struct tasks *tasks, const struct tally_perfdata_record *record)
{
	struct tree_task task = {.first_child = NONE,
				 .last_child = NONE,
				 .next_sibling = NONE,
				 .first_map = NONE,
				 .last_map = NONE};
	struct tally_task fork;
	uint32_t number, old;
	int ret;

	if (tally_record_task(record->data, record->size, &fork) || fork.tid == fork.ptid)
		return 0;
	ret = get_task(tasks, fork.ppid, fork.ptid, &task.parent);
	if (!ret)
		ret = find_tid(tasks, fork.tid, &number, &old);
	if (ret || (old != NONE && is_known(tasks, old, &fork)))
		return ret;
	task.pid = fork.pid;
	task.tid = fork.tid;
	task.ppid = fork.ppid;
	if (old != NONE && adopt(tasks, old, &task))
		return 0;
	task.comm = tasks->all.data[task.parent].comm;
	return add_task(tasks, &task, number);
}

static int on_exit_of(struct tasks *tasks, const struct tally_perfdata_record *record)
{
	uint32_t number, task;
	struct tally_task gone;
	int ret;

	if (tally_record_task(record->data, record->size, &gone))
		return 0;
	ret = find_tid(tasks, gone.tid, &number, &task);
	if (!ret && task != NONE)
		tasks->all.data[task].exited = true;
	return ret;
}

static int on_comm(struct tasks *tasks, const struct tally_perfdata_record *record)
{
	struct tally_comm comm;
	uint32_t task, text;
	int ret;

	if (tally_record_comm(record->data, record->size, &comm))
		return 0;
	ret = get_task(tasks, comm.pid, comm.tid, &task);
	if (!ret)
		ret = tally_intern(&tasks->texts, comm.comm, strlen(comm.comm), &text);
	if (!ret)
		tasks->all.data[task].comm = text;
	return ret;
}

static int on_map(struct tasks *tasks, const struct tally_perfdata_record *record)
{
	uint32_t number = (uint32_t)tasks->maps.len, task;
	struct task_map map = {.next = NONE};
	struct tally_mmap mmap;
	int ret;

	if (!tasks->keeps_maps || tally_record_mmap(record->data, record->size, &mmap) ||
	    mmap.pid < 0)
		return 0;
	map.start = mmap.start;
	map.end = mmap.start + mmap.len;
	map.pgoff = mmap.pgoff;
	map.ino = mmap.ino;
	map.prot = mmap.prot;
	map.flags = mmap.flags;
	ret = get_task(tasks, mmap.pid, mmap.pid, &task);
	if (!ret)
		ret = tally_intern(&tasks->texts, mmap.filename, strlen(mmap.filename), &map.name);
	if (!ret)
		ret = tally_vec_push(&tasks->maps, map);
	if (ret)
		return ret;
	if (tasks->all.data[task].last_map == NONE)
		tasks->all.data[task].first_map = number;
	else
		tasks->maps.data[tasks->all.data[task].last_map].next = number;
	tasks->all.data[task].last_map = number;
	return 0;
}

static int on_record(void *arg, struct tally_session *session,
		     const struct tally_perfdata_record *record, struct tally_feed_sample *sample)
{
	struct tasks *tasks = arg;

	(void)session;
	(void)sample;
	switch (record->type) {
	case PERF_RECORD_FORK: return on_fork(tasks, record);
	case PERF_RECORD_EXIT: return on_exit_of(tasks, record);
	case PERF_RECORD_COMM: return on_comm(tasks, record);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2: return on_map(tasks, record);
	default: return 0;
	}
}

/* ---- output --------------------------------------------------------------- */

/* Levels deeper than this are not indented further. */
enum { MAX_INDENT = 64, IDS = 28 };

static void add_text(struct tasks *tasks, uint32_t text)
{
	size_t start = tasks->out.len;

	tally_str_add(&tasks->out, tally_intern_text(&tasks->texts, text));
	tally_str_escape(&tasks->out, start);
	tally_str_add_char(&tasks->out, '\n');
}

static void add_maps(struct tasks *tasks, const struct tree_task *task, int indent)
{
	for (uint32_t i = task->first_map; i != NONE; i = tasks->maps.data[i].next) {
		const struct task_map *map = &tasks->maps.data[i];

		tally_str_addf(&tasks->out,
			       "%*s%" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " ",
			       IDS + 4 + indent, "", map->start, map->end,
			       map->prot & PROT_READ ? 'r' : '-',
			       map->prot & PROT_WRITE ? 'w' : '-',
			       map->prot & PROT_EXEC ? 'x' : '-',
			       map->flags & MAP_SHARED ? 's' : 'p', map->pgoff, map->ino);
		add_text(tasks, map->name);
	}
}

static int add_line(struct tasks *tasks, uint32_t number, int depth)
{
	const struct tree_task *task = &tasks->all.data[number];
	int indent = depth < MAX_INDENT ? depth : MAX_INDENT;

	tally_str_addf(&tasks->out, "%10" PRId32 " %8" PRId32 " %8" PRId32 " |%*s", task->pid,
		       task->tid, task->ppid, indent, "");
	add_text(tasks, task->comm);
	add_maps(tasks, task, indent);
	return tasks->out.len >= TALLY_FLUSH_AT ? tally_output_flush(&tasks->out) : 0;
}

/* Print a task and those below it. */
static int add_tree(struct tasks *tasks, uint32_t root)
{
	uint32_t at = root;
	int depth = 0, ret;

	for (;;) {
		ret = add_line(tasks, at, depth);
		if (ret)
			return ret;
		if (tasks->all.data[at].first_child != NONE) {
			at = tasks->all.data[at].first_child;
			depth++;
			continue;
		}
		while (at != root && tasks->all.data[at].next_sibling == NONE) {
			at = tasks->all.data[at].parent;
			depth--;
		}
		if (at == root)
			return 0;
		at = tasks->all.data[at].next_sibling;
	}
}

static int print_tasks(struct tasks *tasks)
{
	int ret = 0;

	tally_str_addf(&tasks->out, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	for (uint32_t i = 0; i < tasks->all.len && !ret; i++)
		if (tasks->all.data[i].parent == NONE)
			ret = add_tree(tasks, i);
	if (!ret)
		ret = tally_str_error(&tasks->out) ? -ENOMEM : tally_output_flush(&tasks->out);
	return ret;
}

/* Add the idle task, which has no records. */
static int add_idle(struct tasks *tasks)
{
	uint32_t task;
	int ret = get_task(tasks, 0, 0, &task);

	return ret ? ret : tally_intern(&tasks->texts, "swapper", 7, &tasks->all.data[task].comm);
}

int report_tasks(struct tally_session *session, bool maps)
{
	struct tasks tasks = {.keeps_maps = maps};
	int ret = add_idle(&tasks), printed;

	if (!ret)
		ret = tally_session_run(session, on_record, &tasks);
	printed = ret == -ENOMEM ? ret : print_tasks(&tasks);
	if (printed == -ENOMEM)
		tally_session_out_of_memory(session);
	tally_vec_free(&tasks.all);
	tally_vec_free(&tasks.maps);
	tally_vec_free(&tasks.by_tid);
	tally_intern_free(&tasks.tids);
	tally_intern_free(&tasks.texts);
	tally_str_free(&tasks.out);
	return ret ? ret : printed;
}
