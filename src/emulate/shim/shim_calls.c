/* SPDX-License-Identifier: BSD-2-Clause */
/* Replacements for the libc functions that make perf_event_open, read, ioctl and prctl calls. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "emulate/ioctls.h"
#include "emulate/shim/raw.h"
#include "emulate/shim/shim.h"
#include "tally/abi.h"

/* ---- perf_event_open ------------------------------------------------------ */

/* Copy the part of an attr that the kernel would read: first its size, then all of it if the size
 * is valid. The server checks the contents. Returns the number of bytes, or -EFAULT. */
static int64_t attr_fetch(void *to, const void *user)
{
	uint32_t head[2];
	size_t size;

	if (shim_call_is_classic())
		return shim_copy_in(to, user, TALLY_EMULATE_CLASSIC_ATTR)
			       ? -EFAULT
			       : TALLY_EMULATE_CLASSIC_ATTR;
	if (shim_copy_in(head, user, sizeof(head)))
		return -EFAULT;
	memcpy(to, head, sizeof(head));
	size = head[1] ? head[1] : PERF_ATTR_SIZE_VER0;
	if (size < PERF_ATTR_SIZE_VER0 || size > 4096)
		return sizeof(head);
	return shim_copy_in(to, user, size) ? -EFAULT : (int64_t)size;
}

/* Return the token of a descriptor's event, or 0 if the descriptor is not an event. */
static uint64_t token_of_fd(int fd)
{
	uint64_t token;

	return shim_event(fd, &token) ? token : 0;
}

long shim_open(void *attr, int32_t pid, int32_t cpu, int group_fd, unsigned long flags);

/* Also called by syscall() in entry.S. */
long shim_open(void *attr, int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	uint64_t data[4096 / 8];
	struct tally_emulate_request request = {
		.operation = TALLY_EMULATE_OPEN,
		.other = group_fd == -1 ? TALLY_EMULATE_NO_GROUP : token_of_fd(group_fd),
		.argument = {(uint32_t)pid, (uint32_t)cpu, flags},
	};
	int64_t len = attr_fetch(data, attr), ret;
	struct shim_answer answer;
	uint64_t token;
	uint32_t size;

	if (len < 0 && len != -EFAULT)
		return shim_result(len);
	/* Let the server report a bad address, because the server checks the flags first. */
	request.len = len < 0 ? 0 : (uint32_t)len;
	ret = shim_call(&request, data, NULL, 0, flags & PERF_FLAG_FD_CLOEXEC, &answer);
	size = (uint32_t)answer.reply.value[0];
	if (ret == -E2BIG && size)
		shim_copy_out((char *)attr + offsetof(struct perf_event_attr, size), &size,
			      sizeof(size));
	if (ret >= 0)
		ret = answer.fd >= 0 && shim_event(answer.fd, &token) ? answer.fd : -EMFILE;
	return shim_result(ret);
}

/* ---- read ----------------------------------------------------------------- */

static long event_read(uint64_t token, void *to, size_t len)
{
	size_t room = len < TALLY_EMULATE_DATA_MAX ? len : TALLY_EMULATE_DATA_MAX;
	struct tally_emulate_request request = {
		.operation = TALLY_EMULATE_READ,
		.event = token,
		.argument = {room},
	};
	struct shim_answer answer;

	/* The kernel copies the reply to the program's memory, which may be invalid. */
	return shim_result(shim_call(&request, NULL, to, room, false, &answer));
}

SHIM_EXPORT ssize_t read(int fd, void *to, size_t len)
{
	ssize_t (*next)(int, void *, size_t) = SHIM_REAL(read);
	uint64_t token;

	if (shim_event(fd, &token))
		return event_read(token, to, len);
	return next ? next(fd, to, len) : shim_result(shim_raw3(SYS_read, fd, (long)to, (long)len));
}

ssize_t __read_chk(int fd, void *to, size_t len, size_t room);

SHIM_EXPORT ssize_t __read_chk(int fd, void *to, size_t len, size_t room)
{
	if (len > room)
		__builtin_trap();
	return read(fd, to, len);
}

/* An event's values must all fit into one iovec, as the kernel treats each iovec as a separate
 * read(2). */
SHIM_EXPORT ssize_t readv(int fd, const struct iovec *pieces, int nr)
{
	ssize_t (*next)(int, const struct iovec *, int) = SHIM_REAL(readv);
	struct iovec piece;
	ssize_t sum = 0, got;
	uint64_t token;

	if (!shim_event(fd, &token))
		return next ? next(fd, pieces, nr)
			    : shim_result(shim_raw3(SYS_readv, fd, (long)pieces, nr));
	if (nr < 0 || nr > IOV_MAX)
		return shim_result(-EINVAL);
	for (int i = 0; i < nr; i++) {
		if (shim_copy_in(&piece, pieces + i, sizeof(piece)))
			return shim_result(-EFAULT);
		got = event_read(token, piece.iov_base, piece.iov_len);
		if (got < 0)
			return sum ? sum : got;
		sum += got;
		if ((size_t)got < piece.iov_len)
			break;
	}
	return sum;
}

/* ---- ioctl ---------------------------------------------------------------- */

/* Copy the data that the argument points to. Returns the number of bytes, or -errno. */
static int64_t argument_fetch(const struct tally_emulate_ioctl *kind, unsigned long argument,
			      void *to)
{
	const void *user = (const void *)argument;

	switch (kind->kind) {
	case TALLY_EMULATE_POINTER: return shim_copy_in(to, user, kind->in) ? -EFAULT : kind->in;
	case TALLY_EMULATE_STRING: return shim_copy_string(to, user, kind->in);
	case TALLY_EMULATE_ATTR: return attr_fetch(to, user);
	default: return 0;
	}
}

/* Call the server. `data` must have space for the data that the argument points to. */
static long ioctl_call(uint64_t token, const struct tally_emulate_ioctl *kind,
		       unsigned long argument, void *data, size_t room)
{
	struct tally_emulate_request request = {
		.operation = TALLY_EMULATE_IOCTL,
		.event = token,
		.argument = {kind->request, argument},
	};
	struct shim_answer answer;
	int64_t ret = argument_fetch(kind, argument, data);

	if (ret < 0)
		return shim_result(ret);
	request.len = (uint32_t)ret;
	if (kind->kind == TALLY_EMULATE_FD)
		request.other =
			argument == ULONG_MAX ? TALLY_EMULATE_NO_GROUP : token_of_fd((int)argument);
	ret = shim_call(&request, data, data, room, false, &answer);
	if (ret >= 0 && kind->out && shim_copy_out((void *)argument, data, kind->out))
		ret = -EFAULT;
	return shim_result(ret);
}

/* Handle requests with filters and attrs. This is a separate function because other requests, which
 * may be made in signal handlers, need a small stack frame. */
static __attribute__((noinline)) long
ioctl_large(uint64_t token, const struct tally_emulate_ioctl *kind, unsigned long argument)
{
	uint64_t data[4096 / 8];

	return ioctl_call(token, kind, argument, data, sizeof(data));
}

static long event_ioctl(uint64_t token, unsigned long number, unsigned long argument)
{
	struct tally_emulate_ioctl kind = tally_emulate_ioctl_find((uint32_t)number);
	uint64_t word;

	/* The requests of the classic ABI take no pointers or descriptors. */
	if (shim_call_is_classic())
		kind = (struct tally_emulate_ioctl){.request = (uint32_t)number,
						    .kind = TALLY_EMULATE_VALUE};
	if (kind.kind == TALLY_EMULATE_STRING || kind.kind == TALLY_EMULATE_ATTR)
		return ioctl_large(token, &kind, argument);
	return ioctl_call(token, &kind, argument, &word, sizeof(word));
}

SHIM_EXPORT int ioctl(int fd, unsigned long number, ...)
{
	unsigned long argument;
	uint64_t token;
	va_list args;

	va_start(args, number);
	argument = va_arg(args, unsigned long);
	va_end(args);
	if (shim_event(fd, &token))
		return (int)event_ioctl(token, number, argument);
	return (int)shim_result(shim_raw3(SYS_ioctl, fd, (long)number, (long)argument));
}

/* ---- prctl ---------------------------------------------------------------- */

SHIM_EXPORT int prctl(int option, ...)
{
	struct tally_emulate_request request = {.operation = TALLY_EMULATE_PRCTL};
	struct shim_answer answer;
	unsigned long argument[4];
	va_list args;

	va_start(args, option);
	for (int i = 0; i < 4; i++)
		argument[i] = va_arg(args, unsigned long);
	va_end(args);
	if (option != PR_TASK_PERF_EVENTS_DISABLE && option != PR_TASK_PERF_EVENTS_ENABLE)
		return (int)shim_result(shim_raw(SYS_prctl, option, (long)argument[0],
						 (long)argument[1], (long)argument[2],
						 (long)argument[3], 0));
	request.argument[0] = (uint64_t)option;
	return (int)shim_result(shim_call(&request, NULL, NULL, 0, false, &answer));
}
