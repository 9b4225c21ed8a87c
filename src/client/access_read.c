/* SPDX-License-Identifier: BSD-2-Clause */
/* Snapshot of the settings that determine access: sysctls, capabilities, limits, namespaces. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/arith.h"
#include "base/file.h"
#include "client/access_private.h"
#include "client/procfs.h"

enum { TEXT_MAX = 1 << 16, PATH_SIZE = 512, MLOCK_KB_DEFAULT = 516 };

static int root_read(const char *root, const char *path, char **ret_text, size_t *ret_len)
{
	char full[PATH_SIZE];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return tally_file_read(full, TEXT_MAX, ret_text, ret_len);
}

static int64_t number_read(const char *root, const char *path, int64_t otherwise)
{
	int64_t value = otherwise;
	char *text;
	size_t len;

	if (root_read(root, path, &text, &len))
		return otherwise;
	procfs_number(text, len, &value);
	free(text);
	return value;
}

static int32_t number_read_32(const char *root, const char *path)
{
	int64_t value = number_read(root, path, TALLY_ACCESS_UNKNOWN);

	return value >= INT32_MIN && value <= INT32_MAX ? (int32_t)value : TALLY_ACCESS_UNKNOWN;
}

/* ---- parts of the snapshot ------------------------------------------------- */

/* Read the part of the process status that system calls can report. If the status file is
 * unreadable (no /proc or no free descriptor), the process may still have capabilities and a
 * filter. */
static void read_own_status(struct tally_access *access)
{
	access_capabilities(access);
	for (int i = 0; i < 64; i++)
		access->bounding |= (uint64_t)(prctl(PR_CAPBSET_READ, i) == 1) << i;
	access->seccomp = TALLY_MAX(prctl(PR_GET_SECCOMP), 0);
	access->no_new_privileges = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
}

static void read_status(const char *root, struct tally_access *access)
{
	struct procfs_status status = {.nr_threads = 1};
	char *text;
	size_t len;

	/* Capabilities are per thread, and /proc/self would show the main thread's capabilities. */
	if (root_read(root, "/proc/thread-self/status", &text, &len) &&
	    root_read(root, "/proc/self/status", &text, &len)) {
		if (!*root)
			read_own_status(access);
		return;
	}
	procfs_status_parse(text, len, &status);
	free(text);
	access->effective = status.effective;
	access->permitted = status.permitted;
	access->inheritable = status.inheritable;
	access->bounding = status.bounding;
	access->ambient = status.ambient;
	access->pinned = status.pinned;
	access->seccomp = status.seccomp;
	access->nr_threads = status.nr_threads;
	access->no_new_privileges = status.no_new_privileges;
}

/* Return true for the initial namespace, which has the same inode number on every kernel. A
 * namespace with an unreadable link is assumed to be the initial one. */
static bool is_initial_namespace(const char *root, const char *name, uint64_t initial)
{
	char path[PATH_SIZE], link[64];
	uint64_t inode = initial;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/proc/self/ns/%s", root, name);
	len = readlink(path, link, sizeof(link));
	if (len > 0)
		procfs_namespace(link, (size_t)len, &inode);
	return inode == initial;
}

static bool is_mounted(const char *root, const char *path, unsigned long flag)
{
	char full[PATH_SIZE];
	struct statvfs fs;

	snprintf(full, sizeof(full), "%s%s", root, path);
	return !statvfs(full, &fs) && fs.f_flag & flag;
}

static void read_namespaces(const char *root, struct tally_access *access)
{
	static const uint64_t user_inode = 0xeffffffd, pid_inode = 0xeffffffc;

	access->initial_user_namespace = is_initial_namespace(root, "user", user_inode);
	access->initial_pid_namespace = is_initial_namespace(root, "pid", pid_inode);
	access->sysctl_readonly = is_mounted(root, "/proc/sys", ST_RDONLY);
}

static void read_limits(struct tally_access *access)
{
	struct rlimit limit;

	access->memlock = access->files = access->files_hard = UINT64_MAX;
	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_cur != RLIM_INFINITY)
		access->memlock = limit.rlim_cur;
	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		access->files = limit.rlim_cur;
		access->files_hard = limit.rlim_max;
	}
}

static void read_program(struct tally_access *access)
{
	ssize_t len = readlink("/proc/self/exe", access->program, sizeof(access->program) - 1);

	if (len <= 0 || (size_t)len == sizeof(access->program) - 1) {
		snprintf(access->program, sizeof(access->program), "tally");
		return;
	}
	access->program[len] = '\0';
	access->nosuid = is_mounted("", access->program, ST_NOSUID);
}

static void read_sysctls(const char *root, struct tally_access *access)
{
	int64_t mlock_kb;

	access->paranoid = number_read_32(root, "/proc/sys/kernel/perf_event_paranoid");
	access->kptr_restrict = number_read_32(root, "/proc/sys/kernel/kptr_restrict");
	access->max_stack = number_read_32(root, "/proc/sys/kernel/perf_event_max_stack");
	access->max_sample_rate = number_read(root, "/proc/sys/kernel/perf_event_max_sample_rate",
					      TALLY_ACCESS_UNKNOWN);
	mlock_kb = number_read(root, "/proc/sys/kernel/perf_event_mlock_kb", TALLY_ACCESS_UNKNOWN);
	access->mlock_kb_is_assumed = mlock_kb < 0;
	access->mlock_kb = mlock_kb < 0 ? MLOCK_KB_DEFAULT : (uint64_t)mlock_kb;
	access->kprobe_type = number_read_32(root, "/sys/bus/event_source/devices/kprobe/type");
	access->uprobe_type = number_read_32(root, "/sys/bus/event_source/devices/uprobe/type");
}

void tally_access_read(const char *root, struct tally_access *ret_access)
{
	struct tally_access access = {
		.uid = geteuid(),
		.nr_threads = 1,
		.page_size = (uint64_t)sysconf(_SC_PAGESIZE),
		.cpus = (uint32_t)TALLY_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L),
		.syscall = TALLY_ACCESS_NOT_ASKED,
		.plain = TALLY_ACCESS_NOT_ASKED,
	};

	root = root ? root : "";
	read_status(root, &access);
	read_namespaces(root, &access);
	read_limits(&access);
	read_sysctls(root, &access);
	read_program(&access);
	*ret_access = access;
}

/* ---- probing the kernel ------------------------------------------------------ */

/* Probe the system call with invalid flags, which the kernel rejects before checking anything
 * else. */
static int probe_syscall(const struct tally_transport *transport)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr)};
	int fd = transport->open(transport, &attr, 0, -1, -1, ~0ul);

	if (fd >= 0)
		transport->close(transport, fd);
	return fd >= 0 || fd == -EINVAL ? 0 : fd;
}

static int probe_plain(const struct tally_transport *transport)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = PERF_ATTR_SIZE_VER0,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = transport->open(transport, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return fd;
	transport->close(transport, fd);
	return 0;
}

void tally_access_probe(const struct tally_transport *transport, struct tally_access *access)
{
	access->syscall = probe_syscall(transport);
	access->plain = access->syscall ? access->syscall : probe_plain(transport);
}

/* ---- tasks ----------------------------------------------------------------- */

/* Find out how a task is related to the calling process. The owner of a task's /proc directory is
 * the user that may inspect the task, or root if the task has gained privileges. */
enum tally_task_kind tally_access_task(const struct tally_access *access, const char *root,
				       int32_t pid)
{
	struct procfs_status status = {0};
	char path[PATH_SIZE], *text;
	struct stat st;
	size_t len;

	if (pid < 0)
		return TALLY_TASK_NONE;
	if (!pid)
		return TALLY_TASK_OWN;
	snprintf(path, sizeof(path), "%s/proc/%d", root ? root : "", pid);
	if (stat(path, &st))
		return TALLY_TASK_GONE;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (root_read(root ? root : "", path, &text, &len))
		return TALLY_TASK_GONE;
	procfs_status_parse(text, len, &status);
	free(text);
	if (status.tgid == getpid())
		return TALLY_TASK_OWN;
	return st.st_uid != access->uid || status.permitted & ~access->permitted
		       ? TALLY_TASK_FOREIGN
		       : TALLY_TASK_OWN;
}
