/* SPDX-License-Identifier: BSD-2-Clause */
/* Run a command as if the kernel were Linux 3.10: system calls that were added later do not exist,
 * and perf_event_open rejects newer flags, attributes and events. A seccomp filter checks the
 * arguments; for the attributes, it asks this process, which reads them from the command's memory.
 *
 * Usage: old-kernel COMMAND [ARG...]. Exits with the command's status, with 77 if the kernel does
 * not support such filters, or with 125 after another error. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	FAILED = 125,
	SKIPPED = 77,
	TMPFILE_BIT = 020000000,       /* of O_TMPFILE; before 3.11, only O_DIRECTORY is seen */
	PRCTL_MAX = PR_GET_TID_ADDRESS /* in 3.10 */
};

/* ---- attributes ---------------------------------------------------------------------- */

/* Limits of Linux 3.10. */
#define ATTR_SIZE    96                        /* up to sample_stack_user */
#define ATTR_BITS    ((UINT64_C(1) << 23) - 1) /* up to exclude_callchain_user */
#define SAMPLE_BITS  (PERF_SAMPLE_DATA_SRC * 2 - 1)
#define READ_BITS    (PERF_FORMAT_GROUP * 2 - 1)
#define SOFTWARE_MAX (PERF_COUNT_SW_EMULATION_FAULTS + 1)

static int attr_error(const uint8_t *bytes, uint32_t size)
{
	struct perf_event_attr attr = {0};
	uint64_t flags;

	for (uint32_t i = ATTR_SIZE; i < size; i++) {
		if (bytes[i])
			return E2BIG;
	}
	memcpy(&attr, bytes, ATTR_SIZE);
	/* `disabled` and the other one-bit fields are in the word after read_format. */
	memcpy(&flags, bytes + offsetof(struct perf_event_attr, read_format) + 8, sizeof(flags));
	if (flags & ~ATTR_BITS || attr.sample_type & ~(uint64_t)SAMPLE_BITS ||
	    attr.read_format & ~(uint64_t)READ_BITS)
		return EINVAL;
	return attr.type == PERF_TYPE_SOFTWARE && attr.config >= SOFTWARE_MAX ? ENOENT : 0;
}

/* With E2BIG, the kernel stores its own size in the attributes. */
static void size_report(pid_t pid, uint64_t address)
{
	uint32_t size = ATTR_SIZE;
	struct iovec from = {&size, sizeof(size)};
	struct iovec to = {(void *)(uintptr_t)(address + offsetof(struct perf_event_attr, size)),
			   sizeof(size)};

	(void)process_vm_writev(pid, &from, 1, &to, 1, 0);
}

/* Return the error number that Linux 3.10 would return for attributes at an address in a process's
 * memory, or 0. The real kernel handles what cannot be read. */
static int open_error(pid_t pid, uint64_t address)
{
	uint8_t bytes[4096] = {0};
	struct iovec to = {bytes, PERF_ATTR_SIZE_VER0};
	struct iovec from = {(void *)(uintptr_t)address, PERF_ATTR_SIZE_VER0};
	uint32_t size;
	int error;

	if (process_vm_readv(pid, &to, 1, &from, 1, 0) != PERF_ATTR_SIZE_VER0)
		return 0;
	memcpy(&size, bytes + offsetof(struct perf_event_attr, size), sizeof(size));
	if (size > sizeof(bytes))
		return 0;
	to.iov_len = from.iov_len = size < PERF_ATTR_SIZE_VER0 ? PERF_ATTR_SIZE_VER0 : size;
	if (process_vm_readv(pid, &to, 1, &from, 1, 0) != (ssize_t)to.iov_len)
		return 0;
	error = attr_error(bytes, size);
	if (error == E2BIG)
		size_report(pid, address);
	return error;
}

/* ---- filter -------------------------------------------------------------------------- */

#define AT(field)          ((uint32_t)offsetof(struct seccomp_data, field))
#define LOAD(field)        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, AT(field))
#define RETURN(value)      BPF_STMT(BPF_RET | BPF_K, value)
#define IF(test, k, n)     BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(k), 0, n)
#define UNLESS(test, k, n) BPF_JUMP(BPF_JMP | (test) | BPF_K, (uint32_t)(k), n, 0)
#define ERROR(number)      RETURN(SECCOMP_RET_ERRNO | (number))

/* finit_module (3.8) is the newest system call in 3.10 on all 64-bit processors. Numbers of the x32
 * ABI are larger. Each block handles one system call, and `n` is the number of instructions in it
 * that IF() skips. */
static struct sock_filter filter[] = {
	LOAD(nr),
	IF(BPF_JGT, SYS_finit_module, 1),
	ERROR(ENOSYS),
	IF(BPF_JEQ, SYS_perf_event_open, 4),
	LOAD(args[4]),
	IF(BPF_JSET, ~(PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_PID_CGROUP), 1),
	ERROR(EINVAL),
	RETURN(SECCOMP_RET_USER_NOTIF),
	IF(BPF_JEQ, SYS_ioctl, 5),
	LOAD(args[1]),
	UNLESS(BPF_JEQ, PERF_EVENT_IOC_ID, 2),
	UNLESS(BPF_JEQ, PERF_EVENT_IOC_SET_BPF, 1),
	IF(BPF_JEQ, PERF_EVENT_IOC_PAUSE_OUTPUT, 1),
	ERROR(ENOTTY),
	LOAD(nr),
	IF(BPF_JEQ, SYS_prctl, 3),
	LOAD(args[0]),
	IF(BPF_JGT, PRCTL_MAX, 1),
	ERROR(EINVAL),
	LOAD(nr),
	IF(BPF_JEQ, SYS_openat, 3),
	LOAD(args[2]),
	IF(BPF_JSET, TMPFILE_BIT, 1),
	ERROR(EISDIR),
	RETURN(SECCOMP_RET_ALLOW),
};

static int filter_install(void)
{
	const struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

	if (geteuid())
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			    &program);
}

/* ---- processes ----------------------------------------------------------------------- */

/* Answer until all processes with the filter have exited. */
static void answer(int listener)
{
	struct pollfd poll_fd = {.fd = listener, .events = POLLIN};

	while (poll(&poll_fd, 1, -1) >= 0 || errno == EINTR) {
		struct seccomp_notif asked = {0};
		struct seccomp_notif_resp reply = {0};

		if (!(poll_fd.revents & POLLIN)) {
			if (poll_fd.revents & POLLHUP)
				return;
			continue;
		}
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked))
			continue;
		reply.id = asked.id;
		reply.error = -open_error((pid_t)asked.pid, asked.data.args[0]);
		if (!reply.error)
			reply.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		(void)ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &reply);
	}
}

/* Pass on the listener's number, and wait until the parent has a copy of the listener. The filter
 * is already active, so use only system calls that it permits. */
static void command_run(char **argv, int to_parent, int from_parent)
{
	int listener = filter_install();
	char byte;

	if (write(to_parent, &listener, sizeof(listener)) != sizeof(listener) || listener < 0 ||
	    read(from_parent, &byte, 1) != 1)
		_exit(FAILED);
	close(listener);
	close(to_parent);
	close(from_parent);
	execvp(argv[0], argv);
	perror(argv[0]);
	_exit(FAILED);
}

/* Return a copy of the child's listener, or -1. */
static int listener_copy(pid_t child, int from_child, int to_child)
{
	int number = -1, pidfd = (int)syscall(SYS_pidfd_open, child, 0), copy = -1;

	if (read(from_child, &number, sizeof(number)) == sizeof(number) && number >= 0 &&
	    pidfd >= 0)
		copy = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	if (copy >= 0 && write(to_child, "", 1) != 1)
		copy = -1;
	return copy;
}

int main(int argc, char **argv)
{
	int up[2], down[2], listener, status;
	pid_t child;

	if (argc < 2 || pipe(up) || pipe(down))
		return FAILED;
	/* Ctrl-C ends the command, and then this process. */
	signal(SIGINT, SIG_IGN);
	child = fork();
	if (!child) {
		signal(SIGINT, SIG_DFL);
		command_run(argv + 1, up[1], down[0]);
	}
	close(up[1]);
	close(down[0]);
	listener = child > 0 ? listener_copy(child, up[0], down[1]) : -1;
	if (listener < 0) {
		perror("old-kernel: seccomp");
		return SKIPPED;
	}
	answer(listener);
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
