/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linux_probe.h"
#include "linux_task.h"
#include "system.h"

enum { FIRST_UID = 1000000 };

struct linux_system {
	struct system base;
	struct task_world *world;
};

static uint64_t tracepoint_id;

static struct task_world *world_of(struct system *system)
{
	return ((struct linux_system *)system)->world;
}

static int64_t linux_order(struct system *system, int task, int what, int64_t a, int64_t b)
{
	struct task_world *world = world_of(system);

	world->box[task].order.what = what;
	world->box[task].order.a = a;
	world->box[task].order.b = b;
	return task_do(world, task);
}

static int linux_open(struct system *system, int task, void *attr, int32_t pid, int32_t cpu,
		      int group_fd, unsigned long flags)
{
	struct task_order *order = &world_of(system)->box[task].order;
	int fd;

	if (!attr) {
		fd = (int)syscall(SYS_perf_event_open, NULL, pid, cpu, group_fd, flags);
		return fd < 0 ? -errno : fd;
	}
	memcpy(order->attr, attr, SYSTEM_ATTR_BYTES);
	order->c = group_fd;
	order->flags = flags;
	fd = (int)linux_order(system, task, TASK_OPEN, pid, cpu);
	memcpy(attr, order->attr, SYSTEM_ATTR_BYTES);
	return fd;
}

static int linux_close(struct system *system, int task, int fd)
{
	return close(fd) ? -errno : 0;
}

static int64_t linux_read(struct system *system, int task, int fd, void *to, size_t len)
{
	ssize_t result = read(fd, to, len);

	return result < 0 ? -errno : result;
}

static int linux_ioctl(struct system *system, int task, int fd, unsigned long request,
		       uintptr_t arg)
{
	int result = ioctl(fd, request, arg);

	return result < 0 ? -errno : result;
}

static int linux_mmap(struct system *system, int task, int fd, size_t len, uint64_t offset,
		      bool writable, void **ret_memory)
{
	void *memory = mmap(NULL, len, PROT_READ | (writable ? PROT_WRITE : 0), MAP_SHARED, fd,
			    (off_t)offset);

	if (memory == MAP_FAILED)
		return -errno;
	*ret_memory = memory;
	return 0;
}

static int linux_munmap(struct system *system, int task, void *memory, size_t len)
{
	return munmap(memory, len) ? -errno : 0;
}

static int linux_poll(struct system *system, int task, int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	return poll(&poll_fd, 1, 0) < 0 ? -errno : poll_fd.revents;
}

static int linux_prctl(struct system *system, int task, int option)
{
	return (int)linux_order(system, task, TASK_PRCTL, option, 0);
}

static int linux_act(struct system *system, int task, enum system_act act, int64_t a, int64_t b,
		     const char *text)
{
	struct task_order *order = &world_of(system)->box[task].order;

	snprintf(order->text, sizeof(order->text), "%s", text ? text : "");
	return (int)linux_order(system, task, (int)act, a, b);
}

static int32_t linux_pid(struct system *system, int task)
{
	return world_of(system)->box[task].pid;
}

static int32_t linux_tid(struct system *system, int task)
{
	return world_of(system)->box[task].tid;
}

static int linux_other_fd(struct system *system)
{
	return world_of(system)->map_fd;
}

static uint64_t linux_tracepoint(struct system *system)
{
	return tracepoint_id;
}

static uint64_t linux_watched(struct system *system)
{
	return task_watched();
}

static uint64_t linux_watched_code(struct system *system)
{
	return task_watched_code();
}

static const struct system_ops linux_ops = {
	.name = "linux",
	.attr_size = PERF_ATTR_SIZE_VER8,
	.open = linux_open,
	.close = linux_close,
	.read = linux_read,
	.ioctl = linux_ioctl,
	.mmap = linux_mmap,
	.munmap = linux_munmap,
	.poll = linux_poll,
	.prctl = linux_prctl,
	.act = linux_act,
	.pid = linux_pid,
	.tid = linux_tid,
	.other_fd = linux_other_fd,
	.tracepoint = linux_tracepoint,
	.watched = linux_watched,
	.watched_code = linux_watched_code,
};

/* ---- creation ---------------------------------------------------------------------- */

/* Create the file that ACT_MAP maps. Records show it as /dev/shm/mapped.*. */
static int map_file(void)
{
	char path[] = "/dev/shm/mapped.XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || ftruncate(fd, 16 * SYSTEM_PAGE))
		return -1;
	unlink(path);
	return fd;
}

/* Become an unprivileged user with a UID that no other process uses, so that none of the user's
 * locked-page allowance is in use. Stay dumpable, so that the script's other tasks can still
 * observe this process. */
static int become_user(void)
{
	uid_t uid = FIRST_UID + (uid_t)getpid();

	return setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	       prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}

struct system *linux_system_new(bool root)
{
	static const struct rlimit memlock = {SYSTEM_MEMLOCK, SYSTEM_MEMLOCK};
	struct linux_system *system = calloc(1, sizeof(*system));

	if (!system)
		return NULL;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	if (setrlimit(RLIMIT_MEMLOCK, &memlock))
		return NULL;
	if (!root && become_user())
		return NULL;
	system->base.ops = &linux_ops;
	system->world = task_world_new();
	if (!system->world)
		return NULL;
	system->world->map_fd = map_file();
	return &system->base;
}

struct system *emulated_system_new(bool root)
{
	static struct system_ops ops;
	struct system *system = linux_system_new(root);

	ops = linux_ops;
	ops.attr_size = sizeof(struct perf_event_attr);
	if (system)
		system->ops = &ops;
	return system;
}

void linux_system_executed(int argc, char **argv)
{
	task_take_up(argc, argv);
}

/* ---- availability --------------------------------------------------------------------- */

struct setting {
	const char *path;
	long value, saved;
};

/* Sysctls that the answers depend on. */
static struct setting settings[] = {
	{"/proc/sys/kernel/perf_event_paranoid", 2, 0},
	{"/proc/sys/kernel/perf_event_max_sample_rate", 100000, 0},
	{"/proc/sys/kernel/perf_event_max_stack", 127, 0},
	{"/proc/sys/kernel/perf_event_mlock_kb", SYSTEM_MLOCK_PAGES * 4, 0},
};

static int setting_read(const char *path, long *ret_value)
{
	FILE *file = fopen(path, "re");
	int error = !file || fscanf(file, "%ld", ret_value) != 1;

	if (file)
		fclose(file);
	return error;
}

static int setting_write(const char *path, long value)
{
	FILE *file = fopen(path, "we");
	int error = !file || fprintf(file, "%ld\n", value) < 0;

	if (file)
		error |= fclose(file);
	return error;
}

static void settings_restore(void)
{
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (settings[i].saved != settings[i].value)
			setting_write(settings[i].path, settings[i].saved);
	}
}

/* Lock out other tests, including those that use tests/lib/keeper.py, so that no test mistakes
 * another test's settings for the machine's own. */
static int settings_lock(void)
{
	int fd = open("/run/tally-sysctls", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	return fd < 0 ? -1 : flock(fd, LOCK_EX);
}

static struct {
	pid_t pid;
	int end; /* write end of a pipe; closing it restores the settings */
} keeper;

static void settings_give_back(void)
{
	close(keeper.end);
	waitpid(keeper.pid, NULL, 0);
}

/* Start a process that restores the settings when this process exits, even if it is killed. */
static int settings_keep(void)
{
	int ends[2];
	char byte;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	keeper.pid = fork();
	if (keeper.pid < 0)
		return -1;
	if (!keeper.pid) {
		setsid();
		signal(SIGINT, SIG_IGN);
		signal(SIGTERM, SIG_IGN);
		close(ends[1]);
		while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
			;
		settings_restore();
		_exit(0);
	}
	close(ends[0]);
	keeper.end = ends[1];
	return atexit(settings_give_back);
}

static int settings_set(void)
{
	if (settings_lock())
		return -1;
	settings[3].value = SYSTEM_MLOCK_PAGES * 4 / sysconf(_SC_NPROCESSORS_ONLN);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (setting_read(settings[i].path, &settings[i].saved))
			return -1;
	}
	if (settings_keep())
		return -1;
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		if (settings[i].saved != settings[i].value &&
		    setting_write(settings[i].path, settings[i].value))
			return -1;
	}
	return 0;
}

static int tracepoint_read(void)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[128];
	long id;

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path),
			 "%s/events/syscalls/sys_enter_sched_rr_get_interval/id", roots[i]);
		if (!setting_read(path, &id)) {
			tracepoint_id = (uint64_t)id;
			return 0;
		}
	}
	return -1;
}

const char *emulated_system_prepare(void)
{
	if (geteuid())
		return "not root";
	return linux_probe_events() ? NULL : "perf_event_open is not permitted";
}

const char *linux_system_prepare(const char *release)
{
	struct utsname name;

	if (uname(&name) || (release && strncmp(name.release, release, strlen(release))))
		return "the answers are those of another Linux";
	if (geteuid())
		return "not root";
	if (sysconf(_SC_NPROCESSORS_ONLN) < SYSTEM_CPUS ||
	    SYSTEM_MLOCK_PAGES * 4 % sysconf(_SC_NPROCESSORS_ONLN))
		return "not a number of CPUs that the answers hold for";
	if (!linux_probe_events())
		return "perf_event_open is not permitted";
	if (tracepoint_read())
		return "no tracepoint sys_enter_sched_rr_get_interval in tracefs";
	if (!linux_probe_tracepoint(tracepoint_id))
		return "the tracepoint sys_enter_sched_rr_get_interval does not count here";
	return settings_set() ? "perf's sysctls cannot be set" : NULL;
}
