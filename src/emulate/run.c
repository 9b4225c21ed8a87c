/* SPDX-License-Identifier: BSD-2-Clause */
/* Run a command with the preloaded library, and serve it until it exits. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "emulate/protocol.h"
#include "emulate/run.h"
#include "emulate/shim_image.h"

/* ---- the library as a file -------------------------------------------------- */

struct shim_file {
	int fd;              /* memfd, or -1 */
	char directory[256]; /* empty if none */
	char path[300];
};

/* Check whether another process of the same user can open the file. That is not possible if this
 * process's /proc entries are inaccessible to other processes. */
static bool is_reachable(const char *path)
{
	pid_t child = fork();
	int status = 1;

	if (!child)
		_exit(open(path, O_RDONLY) < 0);
	return child > 0 && waitpid(child, &status, 0) == child && !status;
}

static int shim_in_memory(struct shim_file *file)
{
	int ret;

	file->fd = memfd_create("tally-emulate", MFD_CLOEXEC);
	if (file->fd < 0)
		return -errno;
	snprintf(file->path, sizeof(file->path), "/proc/%d/fd/%d", getpid(), file->fd);
	ret = tally_file_write_all(file->fd, tally_emulate_shim_image,
				   tally_emulate_shim_image_len);
	if (!ret && !is_reachable(file->path))
		ret = -EACCES;
	if (!ret)
		return 0;
	close(file->fd);
	file->fd = -1;
	return ret;
}

static int shim_in_directory(struct shim_file *file)
{
	const char *temporary = getenv("TMPDIR");
	int fd, ret;

	snprintf(file->directory, sizeof(file->directory), "%s/tally-emulate-XXXXXX",
		 temporary && *temporary == '/' ? temporary : "/tmp");
	if (!mkdtemp(file->directory)) {
		*file->directory = '\0';
		return -errno;
	}
	snprintf(file->path, sizeof(file->path), "%s/library.so", file->directory);
	fd = open(file->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0500);
	if (fd < 0)
		return -errno;
	ret = tally_file_write_all(fd, tally_emulate_shim_image, tally_emulate_shim_image_len);
	close(fd);
	return ret;
}

static void shim_remove(struct shim_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	if (!*file->directory)
		return;
	unlink(file->path);
	rmdir(file->directory);
}

static int shim_make(struct shim_file *file)
{
	int ret;

	*file = (struct shim_file){.fd = -1};
	if (!tally_emulate_shim_image_len)
		return -ENOSYS;
	ret = shim_in_memory(file);
	return ret ? shim_in_directory(file) : 0;
}

/* ---- the command -------------------------------------------------------------- */

/* Execute the command in the child. The library precedes any other preloaded libraries. */
static void child_exec(const struct tally_emulate_server *server, const struct shim_file *file,
		       char *const *argv, int error_fd)
{
	const char *others = getenv("LD_PRELOAD");
	char preload[4096];
	int error;

	snprintf(preload, sizeof(preload), "%s%s%s", file->path, others && *others ? ":" : "",
		 others ? others : "");
	setenv("LD_PRELOAD", preload, 1);
	setenv(TALLY_EMULATE_VARIABLE, tally_emulate_server_name(server), 1);
	execvp(argv[0], argv);
	error = errno;
	(void)!write(error_fd, &error, sizeof(error));
	_exit(127);
}

/* Start the command. Returns the child's PID, or -errno from fork or exec. The child reports a
 * failed exec through a pipe, which a successful exec closes. */
static pid_t command_start(const struct tally_emulate_server *server, const struct shim_file *file,
			   char *const *argv)
{
	int ends[2], error;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child = fork();
	if (!child)
		child_exec(server, file, argv, ends[1]);
	error = errno;
	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return -error;
	}
	if (read(ends[0], &error, sizeof(error)) == sizeof(error)) {
		waitpid(child, NULL, 0);
		child = -error;
	}
	close(ends[0]);
	return child;
}

/* Raise the limit on descriptors, as this process needs several for each event. The command keeps
 * its own limit. */
static void limit_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int command_serve(struct tally_emulate_server *server, pid_t child, int *ret_status)
{
	int fd = (int)syscall(SYS_pidfd_open, child, 0);
	int ret = fd < 0 ? -errno : tally_emulate_server_run(server, fd);

	if (fd >= 0)
		close(fd);
	if (ret)
		kill(child, SIGKILL);
	*ret_status = 0;
	return tally_emulate_server_wait(server, child, ret_status) ? -ECHILD : ret;
}

/* Return -EOPNOTSUPP if the kernel has no pidfds (Linux 5.3), which report when a process exits. */
static int pidfds_check(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (fd < 0)
		return errno == ENOSYS ? -EOPNOTSUPP : -errno;
	close(fd);
	return 0;
}

int tally_emulate_run(struct tally_emulate_server *server, char *const *argv, int *ret_status)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before[2];
	struct shim_file file = {.fd = -1};
	pid_t child;
	int ret = pidfds_check(), status;

	if (!ret)
		ret = shim_make(&file);
	if (ret) {
		shim_remove(&file);
		return ret;
	}
	child = command_start(server, &file, argv);
	limit_raise();
	sigaction(SIGINT, &ignore, &before[0]);
	sigaction(SIGQUIT, &ignore, &before[1]);
	ret = child < 0 ? child : command_serve(server, child, &status);
	sigaction(SIGINT, &before[0], NULL);
	sigaction(SIGQUIT, &before[1], NULL);
	shim_remove(&file);
	if (!ret)
		*ret_status = status;
	return ret;
}
