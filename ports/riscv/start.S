/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parts that cannot be written in C: the way from reset to supervisor mode, the monitor that stays
 * in machine mode (it writes counters, and forwards interrupts between harts), the entry of traps,
 * the switch of stacks, and access to counters by number.
 */
#include "ports/riscv/riscv_layout.h"

	.option norvc
	.section .text.start, "ax"
	.globl start
start:
	csrr a0, mhartid
	li t0, MAX_HARTS
	bgeu a0, t0, park
	/* A stack and a save area of the monitor for each hart. */
	la sp, boot_stacks
	addi t0, a0, 1
	slli t1, t0, 13
	add sp, sp, t1
	la t1, monitor_saves
	slli t2, a0, 6
	add t1, t1, t2
	csrw mscratch, t1
	la t0, monitor
	csrw mtvec, t0
	li t0, -1 /* no limits on memory: page tables restrict access */
	csrw pmpaddr0, t0
	li t0, 0x1f
	csrw pmpcfg0, t0
	li t0, 0xb1ff
	csrw medeleg, t0
	li t0, 1 << IRQ_SOFT | 1 << IRQ_TIMER | 1 << IRQ_COUNTER
	csrw mideleg, t0
	li t0, 1 << 3 /* machine software interrupts */
	csrw mie, t0
	li t0, -1
	csrw mcounteren, t0
	csrw scounteren, t0
	csrw CSR_STIMECMP, t0
	slli t0, t0, __riscv_xlen - 1 /* enable stimecmp */
#if __riscv_xlen == 64
	csrw CSR_MENVCFG, t0
#else
	csrw CSR_MENVCFGH, t0
	csrw CSR_STIMECMPH, t0
#endif
	csrw mcountinhibit, zero
	li t0, 0x1800
	csrc mstatus, t0
	li t0, 0x0800 /* to supervisor mode */
	csrs mstatus, t0
	la t0, 1f
	csrw mepc, t0
	mret
1:	la t0, trap_entry
	csrw stvec, t0
	csrw sscratch, zero
	li t0, 1 << 18 /* SUM: the kernel copies from and to tasks' memory */
	csrs sstatus, t0
	call boot
park:	wfi
	j park

/* ---- machine mode ---- */

/* Write `value` to control and status register `first` + a0. */
	.macro write_by_index first, value
	la t5, 1001f
	slli t4, a0, 3
	add t5, t5, t4
	jr t5
1001:	.set n, 0
	.rept 32
	csrw \first + n, \value
	j 1002f
	.set n, n + 1
	.endr
1002:
	.endm

	.balign 4
monitor:
	csrrw t6, mscratch, t6
	STORE t5, 0(t6)
	STORE t4, WORD(t6)
	csrr t5, mcause
	bltz t5, pass_on
	li t4, 9
	bne t5, t4, broken
	/* monitor_program(index, event, value) */
	csrr t5, mepc
	addi t5, t5, 4
	csrw mepc, t5
	li t4, 3
	bltu a0, t4, 2f
#if __riscv_xlen == 64
	write_by_index 0x320, a1
2:	write_by_index 0xb00, a2
#else
	write_by_index 0x720, a2
	write_by_index 0x320, a1
2:	write_by_index 0xb80, a4
	write_by_index 0xb00, a3
#endif
	j back
pass_on: /* a call from another hart: raise a supervisor software interrupt */
	csrr t5, mhartid
	slli t5, t5, 2
	li t4, CLINT
	add t5, t5, t4
	sw zero, 0(t5)
	csrsi mip, 1 << IRQ_SOFT
back:
	LOAD t4, WORD(t6)
	LOAD t5, 0(t6)
	csrrw t6, mscratch, t6
	mret
broken: /* a fault of the kernel before its trap handler is set up */
	li t5, FINISHER
	li t4, 0x63333
	sw t4, 0(t5)
	j broken

	.globl monitor_program
monitor_program:
	ecall
	ret

/* ---- supervisor mode ---- */

/* sscratch contains the hart's struct cpu while a task runs, and 0 in the kernel. In the kernel, tp
 * contains struct cpu. */
	.balign 4
trap_entry:
	csrrw tp, sscratch, tp
	bnez tp, 1f
	csrr tp, sscratch
	STORE sp, CPU_USER_SP(tp)
	addi sp, sp, -FRAME_SIZE
	STORE tp, 4 * WORD(sp)
	j 2f
1:	STORE sp, CPU_USER_SP(tp)
	LOAD sp, CPU_KERNEL_SP(tp)
	addi sp, sp, -FRAME_SIZE
	STORE ra, 1 * WORD(sp)
	csrr ra, sscratch
	STORE ra, 4 * WORD(sp)
	LOAD ra, 1 * WORD(sp)
2:	csrw sscratch, zero
	.irp r, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	STORE x\r, \r * WORD(sp)
	.endr
	LOAD t0, CPU_USER_SP(tp)
	STORE t0, 2 * WORD(sp)
	csrr t0, sepc
	STORE t0, 0(sp)
	csrr t1, sstatus
	STORE t1, 32 * WORD(sp)
	mv a0, sp
	csrr a1, scause
	csrr a2, stval
	call trap
	mv a0, sp

	.globl trap_return
trap_return: /* a0: the frame */
	mv sp, a0
	LOAD t0, 0(sp)
	csrw sepc, t0
	LOAD t1, 32 * WORD(sp)
	csrw sstatus, t1
	andi t1, t1, 0x100
	bnez t1, 1f
	addi t0, sp, FRAME_SIZE
	STORE t0, CPU_KERNEL_SP(tp)
	csrw sscratch, tp
	LOAD tp, 4 * WORD(sp)
1:	.irp r, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 2
	LOAD x\r, \r * WORD(sp)
	.endr
	sret

/* switch_stacks(save, to): save the kernel context of a task, and restore that of another one. */
	.globl switch_stacks
switch_stacks:
	addi sp, sp, -13 * WORD
	STORE ra, 0(sp)
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	STORE s\r, (\r + 1) * WORD(sp)
	.endr
	STORE sp, 0(a0)
	mv sp, a1
	LOAD ra, 0(sp)
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	LOAD s\r, (\r + 1) * WORD(sp)
	.endr
	addi sp, sp, 13 * WORD
	ret

/* Read control and status register `first` + a0 into `to`. */
	.macro read_by_index first, to
	la t0, 1001f
	slli t1, a0, 3
	add t0, t0, t1
	jr t0
1001:	.set n, 0
	.rept 32
	csrr \to, \first + n
	j 1002f
	.set n, n + 1
	.endr
1002:
	.endm

/* counter_read(index) */
	.globl counter_read
counter_read:
#if __riscv_xlen == 64
	read_by_index 0xc00, a0
	ret
#else
1:	read_by_index 0xc80, a1
	read_by_index 0xc00, t2
	read_by_index 0xc80, t3
	bne a1, t3, 1b
	mv a0, t2
	ret
#endif

	.bss
	.balign 16
boot_stacks: .space 8192 * MAX_HARTS
monitor_saves: .space 64 * MAX_HARTS
