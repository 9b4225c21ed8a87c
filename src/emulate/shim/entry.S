/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscall(): passes perf_event_open to shim_open(), and everything else to the kernel with its
 * arguments unchanged. Written in assembly because nothing may be left on the stack: the call may
 * return on another stack, or twice.
 */
#include <sys/syscall.h>

	.section .note.GNU-stack,"",%progbits
	.text
	.globl syscall
	.type syscall, %function
#if defined(__x86_64__)
syscall:
	.cfi_startproc
	endbr64
	cmp $SYS_perf_event_open, %rdi
	je 1f
	mov %rdi, %rax
	mov %rsi, %rdi
	mov %rdx, %rsi
	mov %rcx, %rdx
	mov %r8, %r10
	mov %r9, %r8
	mov 8(%rsp), %r9
	syscall
	cmp $-4095, %rax
	jae 2f
	ret
1:	mov %rsi, %rdi
	mov %rdx, %rsi
	mov %rcx, %rdx
	mov %r8, %rcx
	mov %r9, %r8
	jmp shim_open
2:	mov %rax, %rdi
	jmp shim_result
	.cfi_endproc
#elif defined(__aarch64__)
syscall:
	.cfi_startproc
	cmp x0, #SYS_perf_event_open
	b.eq 1f
	mov x8, x0
	mov x0, x1
	mov x1, x2
	mov x2, x3
	mov x3, x4
	mov x4, x5
	mov x5, x6
	svc #0
	cmn x0, #4095
	b.cs 2f
	ret
1:	mov x0, x1
	mov x1, x2
	mov x2, x3
	mov x3, x4
	mov x4, x5
	b shim_open
2:	b shim_result
	.cfi_endproc
#endif
	.size syscall, . - syscall
