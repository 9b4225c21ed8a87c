/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers that C and assembler share. */
#ifndef RISCV_LAYOUT_H
#define RISCV_LAYOUT_H

#define MAX_HARTS 2

/* struct cpu and struct trap_frame */
#define CPU_KERNEL_SP 0
#define CPU_USER_SP   8
#define FRAME_SIZE    272

/* Supervisor interrupts, and registers that the assembler does not know by name. */
#define IRQ_SOFT     1
#define IRQ_TIMER    5
#define IRQ_COUNTER  13
#define CSR_MENVCFG  0x30a
#define CSR_STIMECMP 0x14d

/* QEMU's virt machine. */
#define FINISHER 0x100000
#define CLINT    0x2000000
#define UART     0x10000000

/* What lies where in memory, in pieces of 2 MB: the kernel and its heap; what tasks may touch. */
#define MEGA        0x200000
#define KERNEL_BASE 0x80000000
#define USER_BASE   0x80200000
#define HEAP_BASE   0x80400000
#define HEAP_END    0x80800000
#define SHARED_BASE 0x80800000
#define SHARED_END  0x81000000

#endif
