/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls: number in a7, arguments in a0 to a4, result (-errno) in a0. */
#ifndef RISCV_CALLS_H
#define RISCV_CALLS_H

enum call {
	CALL_OPEN,   /* attr, pid, cpu, group_fd, flags: a descriptor */
	CALL_READ,   /* fd, buffer, size: bytes */
	CALL_IOCTL,  /* fd, request, argument */
	CALL_MMAP,   /* fd, bytes, writable: the address */
	CALL_MUNMAP, /* address */
	CALL_POLL,   /* fd, wait: POLLIN, POLLERR, POLLHUP */
	CALL_CLOSE,  /* fd */
	CALL_PRCTL,  /* option */
	CALL_FORK, /* entry, argument, name: the child's number, which begins at entry(argument) */
	CALL_EXIT,
	CALL_YIELD,
	CALL_WAIT,  /* pid: until it has ended */
	CALL_WRITE, /* text, bytes: to the UART, in one piece */
	CALL_OFF,   /* code: the machine */
	CALL_NR
};

#endif
