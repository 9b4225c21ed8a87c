/* SPDX-License-Identifier: BSD-2-Clause */
/* Recognize event descriptors, and copy to and from the program's memory. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>

#include "emulate/shim/raw.h"
#include "emulate/shim/shim.h"

/* Set once the process has used an event. Until then, costly work is avoided. */
static bool events_seen;

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool shim_event(int fd, uint64_t *ret_token)
{
	static const char prefix[] = TALLY_EMULATE_EVENT;
	enum { PREFIX = sizeof(prefix) - 1, DIGITS = 16 };
	struct sockaddr_un address;
	const char *name = address.sun_path + 1;
	socklen_t len = sizeof(address);
	uint64_t token = 0;

	if (shim_raw3(SYS_getpeername, fd, (long)&address, (long)&len) < 0 ||
	    address.sun_family != AF_UNIX ||
	    len != offsetof(struct sockaddr_un, sun_path) + 1 + PREFIX + DIGITS ||
	    address.sun_path[0] || memcmp(name, prefix, PREFIX))
		return false;
	for (int i = 0; i < DIGITS; i++) {
		int value = digit(name[PREFIX + i]);

		if (value < 0)
			return false;
		token = token << 4 | (uint64_t)value;
	}
	*ret_token = token;
	__atomic_store_n(&events_seen, true, __ATOMIC_RELAXED);
	return true;
}

bool shim_events_seen(void)
{
	return __atomic_load_n(&events_seen, __ATOMIC_RELAXED);
}

bool shim_event_drain(int fd)
{
	char byte;
	bool any = false;

	while (shim_raw(SYS_recvfrom, fd, (long)&byte, 1, MSG_DONTWAIT, 0, 0) > 0)
		any = true;
	return any;
}

/* ---- memory --------------------------------------------------------------- */

/* Copy memory with a system call, so that the kernel checks the address. If the system call is not
 * permitted, assume that the address is valid. */
static int copy(long number, void *own, void *user, size_t len)
{
	struct iovec here = {own, len}, there = {user, len};
	long pid = shim_raw3(SYS_getpid, 0, 0, 0);
	long ret = shim_raw(number, pid, (long)&here, 1, (long)&there, 1, 0);

	if (!len || ret == (long)len)
		return 0;
	if (ret != -ENOSYS && ret != -EPERM)
		return -EFAULT;
	if (number == SYS_process_vm_readv)
		memcpy(own, user, len);
	else
		memcpy(user, own, len);
	return 0;
}

int shim_copy_in(void *to, const void *user, size_t len)
{
	return copy(SYS_process_vm_readv, to, (void *)(uintptr_t)user, len);
}

int shim_copy_out(void *user, const void *from, size_t len)
{
	return copy(SYS_process_vm_writev, (void *)(uintptr_t)from, user, len);
}

int64_t shim_copy_string(char *to, const char *user, size_t max)
{
	enum { PIECE = 256 };
	size_t at = 0, piece;
	const char *shim_end;

	while (at < max) {
		/* Do not cross a boundary of PIECE bytes, as the memory after the string may not be
		 * mapped. */
		piece = PIECE - ((uintptr_t)user + at) % PIECE;
		piece = piece < max - at ? piece : max - at;
		if (shim_copy_in(to + at, user + at, piece))
			return -EFAULT;
		shim_end = memchr(to + at, '\0', piece);
		if (shim_end)
			return shim_end - to + 1;
		at += piece;
	}
	return -EINVAL;
}

long shim_result(int64_t ret)
{
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}
