/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls: number in a7, arguments in a0 to a4, result (-errno) in a0. The comments list
 * the arguments, and the result after the colon. */
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
	CALL_FORK,   /* entry, argument, name: TID of the child, which starts at entry(argument) */
	CALL_EXIT,
	CALL_YIELD,
	CALL_WAIT,  /* pid: 0, when it has ended */
	CALL_WRITE, /* text, bytes: bytes written to the UART, without interruption */
	CALL_OFF,   /* code; powers the machine off */
	CALL_NR
};

#endif
