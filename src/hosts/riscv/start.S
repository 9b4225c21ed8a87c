/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What cannot be said in C: the way from reset to supervisor mode, the monitor that stays in
 * machine mode (it writes counters, and passes interrupts between harts on), the entry of traps,
 * the switch of stacks, and the counters by number.
 */
#include "hosts/riscv/layout.h"

	.option norvc
	.section .text.start, "ax"
	.globl start
start:
	csrr a0, mhartid
	li t0, MAX_HARTS
	bgeu a0, t0, park
	/* A stack, and the monitor's save area, for each hart. */
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
	li t0, -1 /* all of memory for everybody: the page table draws the lines */
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
	slli t0, t0, 63 /* stimecmp */
	csrw CSR_MENVCFG, t0
	csrw CSR_STIMECMP, t0
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

	.balign 4
monitor:
	csrrw t6, mscratch, t6
	sd t5, 0(t6)
	sd t4, 8(t6)
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
	la t5, 1f
	slli t4, a0, 3
	add t5, t5, t4
	jr t5
1:	.set n, 0
	.rept 32
	csrw 0x320 + n, a1
	j 2f
	.set n, n + 1
	.endr
2:	la t5, 3f
	slli t4, a0, 3
	add t5, t5, t4
	jr t5
3:	.set n, 0
	.rept 32
	csrw 0xb00 + n, a2
	j back
	.set n, n + 1
	.endr
pass_on: /* another hart's call: a supervisor software interrupt */
	csrr t5, mhartid
	slli t5, t5, 2
	li t4, CLINT
	add t5, t5, t4
	sw zero, 0(t5)
	csrsi mip, 1 << IRQ_SOFT
back:
	ld t4, 8(t6)
	ld t5, 0(t6)
	csrrw t6, mscratch, t6
	mret
broken: /* a fault of the kernel before it has traps of its own */
	li t5, FINISHER
	li t4, 0x63333
	sw t4, 0(t5)
	j broken

	.globl monitor_program
monitor_program:
	ecall
	ret

/* ---- supervisor mode ---- */

/* sscratch holds the hart's struct cpu while a task runs, 0 while the kernel does; tp holds
 * struct cpu in the kernel. */
	.balign 4
trap_entry:
	csrrw tp, sscratch, tp
	bnez tp, 1f
	csrr tp, sscratch
	sd sp, CPU_USER_SP(tp)
	addi sp, sp, -FRAME_SIZE
	sd tp, 4 * 8(sp)
	j 2f
1:	sd sp, CPU_USER_SP(tp)
	ld sp, CPU_KERNEL_SP(tp)
	addi sp, sp, -FRAME_SIZE
	sd ra, 1 * 8(sp)
	csrr ra, sscratch
	sd ra, 4 * 8(sp)
	ld ra, 1 * 8(sp)
2:	csrw sscratch, zero
	.irp r, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	sd x\r, \r * 8(sp)
	.endr
	ld t0, CPU_USER_SP(tp)
	sd t0, 2 * 8(sp)
	csrr t0, sepc
	sd t0, 0(sp)
	csrr t1, sstatus
	sd t1, 32 * 8(sp)
	mv a0, sp
	csrr a1, scause
	csrr a2, stval
	call trap
	mv a0, sp

	.globl trap_return
trap_return: /* a0: the frame */
	mv sp, a0
	ld t0, 0(sp)
	csrw sepc, t0
	ld t1, 32 * 8(sp)
	csrw sstatus, t1
	andi t1, t1, 0x100
	bnez t1, 1f
	addi t0, sp, FRAME_SIZE
	sd t0, CPU_KERNEL_SP(tp)
	csrw sscratch, tp
	ld tp, 4 * 8(sp)
1:	.irp r, 1, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 2
	ld x\r, \r * 8(sp)
	.endr
	sret

/* switch_stacks(save, to): the kernel's side of a task goes, another's comes. */
	.globl switch_stacks
switch_stacks:
	addi sp, sp, -13 * 8
	sd ra, 0(sp)
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	sd s\r, (\r + 1) * 8(sp)
	.endr
	sd sp, 0(a0)
	mv sp, a1
	ld ra, 0(sp)
	.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	ld s\r, (\r + 1) * 8(sp)
	.endr
	addi sp, sp, 13 * 8
	ret

/* counter_read(index) */
	.globl counter_read
counter_read:
	la t0, 1f
	slli a0, a0, 3
	add t0, t0, a0
	jr t0
1:	.set n, 0
	.rept 32
	csrr a0, 0xc00 + n
	ret
	.set n, n + 1
	.endr

	.bss
	.balign 16
boot_stacks: .space 8192 * MAX_HARTS
monitor_saves: .space 64 * MAX_HARTS
