/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants for C and assembly. */
#ifndef RISCV_LAYOUT_H
#define RISCV_LAYOUT_H

#define MAX_HARTS 2

/* Register size, offsets in struct cpu, and the size of struct trap_frame, which is a multiple of
 * 16. */
#if __riscv_xlen == 64
#define WORD        8
#define WORD_SHIFT  3
#define FRAME_WORDS 34
#define STORE       sd
#define LOAD        ld
#else
#define WORD        4
#define WORD_SHIFT  2
#define FRAME_WORDS 36
#define STORE       sw
#define LOAD        lw
#endif
#define CPU_KERNEL_SP 0
#define CPU_USER_SP   WORD
#define FRAME_SIZE    (FRAME_WORDS * WORD)

/* Supervisor interrupts, and registers that the assembler does not know by name. */
#define IRQ_SOFT      1
#define IRQ_TIMER     5
#define IRQ_COUNTER   13
#define CSR_MENVCFG   0x30a
#define CSR_MENVCFGH  0x31a
#define CSR_STIMECMP  0x14d
#define CSR_STIMECMPH 0x15d

/* Devices of QEMU's virt machine. */
#define FINISHER 0x100000
#define CLINT    0x2000000
#define UART     0x10000000

/* Memory layout in units of 4 MB: the kernel and its heap, followed by memory that tasks may
 * access. */
#define MEGA4       0x400000
#define KERNEL_BASE 0x80000000
#define USER_BASE   0x80400000
#define HEAP_BASE   0x80800000
#define HEAP_END    0x80c00000
#define SHARED_BASE 0x80c00000
#define SHARED_END  0x81400000

#endif
