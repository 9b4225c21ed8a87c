/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts that cannot be written in C: the vectors, the stacks at reset, access to the frame of an
 * interrupt, the switch of threads. */
#include "ports/cortexm/cortexm_layout.h"

	.syntax unified
	.cpu cortex-m3
	.thumb

	.section .vectors, "a"
	.word handler_stack + HANDLER_STACK
	.word reset
	.rept 5 /* NMI, and the four faults */
	.word fault
	.endr
	.word 0, 0, 0, 0
	.word fault, fault, 0
	.word thread_switch
	.word tick
	.set n, 0
	.rept 32
	.if n == IRQ_ONE_SHOT
	.word one_shot
	.elseif n == IRQ_COUNTER
	.word counter
	.else
	.word fault
	.endif
	.set n, n + 1
	.endr

	.text
	.macro function name
	.globl \name
	.type \name, %function
	.thumb_func
\name:
	.endm

/* Handlers stay on the main stack; threads use the process stack. */
	function reset
	ldr r0, =handler_stack
	ldr r1, =handler_stack + HANDLER_STACK + IDLE_STACK
	ldr r2, =STACK_PAINT
1:	str r2, [r0], #4
	cmp r0, r1
	blo 1b
	msr psp, r0
	movs r0, #2
	msr control, r0
	isb
	bl boot
	.size reset, . - reset

/* handler(frame, exc_return): the frame is on the stack that was in use. */
	.macro interrupt name, handler
	function \name
	tst lr, #4
	ite eq
	mrseq r0, msp
	mrsne r0, psp
	mov r1, lr
	b \handler
	.size \name, . - \name
	.endm

	interrupt fault, fault_interrupt
	interrupt tick, tick_interrupt
	interrupt one_shot, one_shot_interrupt
	interrupt counter, counter_interrupt

/* This interrupt has the lowest priority, so it always interrupts a thread. Registers that the
 * processor has not saved are pushed onto the thread's stack. */
	function thread_switch
	mrs r0, psp
	stmdb r0!, {r4-r11}
	push {r3, lr}
	bl thread_switch_to
	pop {r3, lr}
	ldmia r0!, {r4-r11}
	msr psp, r0
	bx lr
	.size thread_switch, . - thread_switch

/* paint_stack(from): paint up to the stack pointer, which does not move here. */
	.globl paint_stack
	function paint_stack
	ldr r1, =STACK_PAINT
	mov r2, sp
1:	cmp r0, r2
	it hs
	bxhs lr
	str r1, [r0], #4
	b 1b
	.size paint_stack, . - paint_stack

/* semihost(operation, argument) */
	.globl semihost
	function semihost
	bkpt 0xab
	bx lr
	.size semihost, . - semihost

	.section .stacks, "aw", %nobits
	.balign 8
	.globl handler_stack
handler_stack: .space HANDLER_STACK
	.space IDLE_STACK
	.section .note.GNU-stack, "", %progbits
