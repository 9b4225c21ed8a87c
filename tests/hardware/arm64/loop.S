/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of exactly 100,000,000 instructions, from its first to the system call that ends it. */
	.globl _start
_start:
	ldr	x0, =49999998
1:	subs	x0, x0, #1
	b.ne	1b
	mov	x0, #0
	mov	x8, #93
	svc	#0
	.section .note.GNU-stack, "", %progbits
