/* SPDX-License-Identifier: BSD-2-Clause */
/* System calls. The call number is in a7, the arguments are in a0 to a4, and the result (or -errno)
 * is in a0. The comments list the arguments, followed by a colon and the result. */
#ifndef RISCV_CALLS_H
#define RISCV_CALLS_H

enum call {
	CALL_OPEN,   /* attr, pid, cpu, group_fd, flags: descriptor */
	CALL_READ,   /* fd, buffer, size: number of bytes */
	CALL_IOCTL,  /* fd, request, argument */
	CALL_MMAP,   /* fd, bytes, writable: address */
	CALL_MUNMAP, /* address */
	CALL_POLL,   /* fd, wait: POLLIN, POLLERR, POLLHUP */
	CALL_CLOSE,  /* fd */
	CALL_PRCTL,  /* option */
	CALL_FORK,   /* entry, argument, name: TID of the child, which starts at entry(argument) */
	CALL_EXIT,
	CALL_YIELD,
	CALL_WAIT,  /* pid: 0, after the task has exited */
	CALL_WRITE, /* text, bytes: bytes written to the UART without interruption */
	CALL_OFF,   /* exit code: does not return, powers off the machine */
	CALL_NR
};

#endif
