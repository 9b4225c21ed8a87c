/* SPDX-License-Identifier: BSD-2-Clause */
#include "hosts/user/user_procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arith.h"

enum { TEXT_MAX = 8192 };

static void path_of(char *path, size_t size, const struct user_proc *proc, const char *file)
{
	snprintf(path, size, "/proc/%" PRId32 "/task/%" PRId32 "/%s", proc->pid, proc->tid, file);
}

static int open_file(const struct user_proc *proc, const char *file)
{
	char path[64];
	int fd;

	path_of(path, sizeof(path), proc, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Read a file from its beginning and NUL-terminate the text. Return its length, or -ESRCH. */
static int read_text(int fd, char *text)
{
	ssize_t n = pread(fd, text, TEXT_MAX - 1, 0);

	if (n <= 0)
		return -ESRCH;
	text[n] = '\0';
	return (int)n;
}

int user_proc_open(struct user_proc *proc, int32_t pid, int32_t tid)
{
	*proc = (struct user_proc){.pid = pid, .tid = tid, .schedstat = -1};
	proc->stat = open_file(proc, "stat");
	if (proc->stat < 0)
		return proc->stat == -ENOENT ? -ESRCH : proc->stat;
	proc->schedstat = open_file(proc, "schedstat");
	return 0;
}

void user_proc_close(struct user_proc *proc)
{
	if (proc->schedstat >= 0)
		close(proc->schedstat);
	if (proc->stat >= 0)
		close(proc->stat);
	proc->schedstat = proc->stat = -1;
}

/* ---- stat: numbers after the name, which may contain anything ------------------- */

enum { STATE = 3, MINOR = 10, MAJOR = 12, USER = 14, SYSTEM = 15, SPACE = 23, CPU = 39, NR_FIELDS };

static int read_stat(const struct user_proc *proc, char *ret_state, uint64_t *fields)
{
	char text[TEXT_MAX], *at;
	int ret = read_text(proc->stat, text);

	at = ret < 0 ? NULL : strrchr(text, ')');
	if (!at || !at[1] || !at[2])
		return -ESRCH;
	*ret_state = at[2];
	at += 3;
	memset(fields, 0, NR_FIELDS * sizeof(*fields));
	for (size_t i = STATE + 1; i < NR_FIELDS && *at; i++)
		fields[i] = strtoull(at, &at, 10);
	return 0;
}

int user_proc_read_state(const struct user_proc *proc, struct user_reading *reading)
{
	uint64_t fields[NR_FIELDS];
	int ret = read_stat(proc, &reading->state, fields);

	if (ret)
		return ret;
	reading->minor = fields[MINOR];
	reading->major = fields[MAJOR];
	reading->space = fields[SPACE];
	reading->cpu = (uint32_t)fields[CPU];
	return 0;
}

/* ---- time ------------------------------------------------------------------------- */

static int read_ticks(const struct user_proc *proc, struct user_reading *reading)
{
	uint64_t fields[NR_FIELDS], hz = (uint64_t)sysconf(_SC_CLK_TCK);
	char state;
	int ret = read_stat(proc, &state, fields);

	if (!ret)
		reading->ns = (fields[USER] + fields[SYSTEM]) * (1000000000 / TALLY_MAX(hz, 1u));
	return ret;
}

int user_proc_read_time(const struct user_proc *proc, struct user_reading *reading)
{
	char text[TEXT_MAX], *at;
	int ret;

	if (proc->schedstat < 0)
		return read_ticks(proc, reading);
	ret = read_text(proc->schedstat, text);
	if (ret < 0)
		return ret;
	reading->ns = strtoull(text, &at, 10);
	strtoull(at, &at, 10);
	reading->runs = strtoull(at, NULL, 10);
	return 0;
}

/* ---- other files --------------------------------------------------------------------- */

/* Find the line that begins with `name`, and parse the number after its first `separator`. Return
 * false if there is no such line. */
static bool find_number(const char *text, const char *name, char separator, uint64_t *ret_number)
{
	const char *line = strstr(text, name), *at = line ? strchr(line, separator) : NULL;

	if (!at)
		return false;
	*ret_number = strtoull(at + 1, NULL, 10);
	return true;
}

static int read_named(const struct user_proc *proc, const char *file, char *text)
{
	int fd = open_file(proc, file), ret;

	if (fd < 0)
		return fd;
	ret = read_text(fd, text);
	close(fd);
	return ret < 0 ? ret : 0;
}

static void read_switches(const struct user_proc *proc, struct user_reading *reading)
{
	uint64_t by_itself, preempted;
	char text[TEXT_MAX];

	if (read_named(proc, "status", text) ||
	    !find_number(text, "\nvoluntary_ctxt_switches", ':', &by_itself) ||
	    !find_number(text, "\nnonvoluntary_ctxt_switches", ':', &preempted))
		return;
	reading->switches = by_itself + preempted;
}

static void read_migrations(const struct user_proc *proc, struct user_reading *reading)
{
	char text[TEXT_MAX];

	if (!read_named(proc, "sched", text))
		find_number(text, "\nse.nr_migrations", ':', &reading->migrations);
}

int user_proc_read_all(const struct user_proc *proc, struct user_reading *reading)
{
	int ret = user_proc_read_time(proc, reading);

	if (!ret)
		ret = user_proc_read_state(proc, reading);
	if (ret)
		return ret;
	read_switches(proc, reading);
	read_migrations(proc, reading);
	return 0;
}

static int32_t number_of(int32_t tid, const char *name)
{
	const struct user_proc proc = {.pid = tid, .tid = tid};
	char text[TEXT_MAX];
	uint64_t number = 0;

	if (read_named(&proc, "status", text) || !find_number(text, name, ':', &number))
		return 0;
	return (int32_t)number;
}

int32_t user_proc_process_of(int32_t tid)
{
	return number_of(tid, "\nTgid");
}

int32_t user_proc_parent_of(int32_t pid)
{
	return number_of(pid, "\nPPid");
}

bool user_proc_is_thread_of(int32_t tid, int32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/task/%" PRId32, pid, tid);
	return !access(path, F_OK);
}

void user_proc_name(int32_t pid, int32_t tid, char *to, uint32_t size)
{
	const struct user_proc proc = {.pid = pid, .tid = tid};
	char text[TEXT_MAX];

	*to = '\0';
	if (read_named(&proc, "comm", text))
		return;
	text[strcspn(text, "\n")] = '\0';
	snprintf(to, size, "%.*s", (int)size - 1, text);
}
