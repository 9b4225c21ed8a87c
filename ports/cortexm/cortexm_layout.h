/* SPDX-License-Identifier: BSD-2-Clause */
/* Constants for C and assembly. The machine is QEMU's mps2-an385, a CMSDK board with a
 * Cortex-M3. */
#ifndef CORTEXM_LAYOUT_H
#define CORTEXM_LAYOUT_H

#define CLOCK_HZ 25000000

/* Memory: 4 MB for code, and 4 MB for data. */
#define CODE_BASE 0x00000000
#define DATA_BASE 0x20000000
#define DATA_SIZE 0x00400000

/* Stack sizes: the handlers' stack (the main stack), and the stack of the thread that boots and
 * then idles. */
#define HANDLER_STACK 4096
#define IDLE_STACK    4096
#define STACK_PAINT   0x5a5a5a5a

/*
 * Priorities: lower numbers preempt higher numbers. "Interrupts off" means that BASEPRI is IRQ_OFF.
 * This masks the kernel's own interrupts, but not interrupts with a lower number, which must never
 * be delayed. The counter's overflow interrupt is one of these.
 */
#define PRIORITY_COUNTER 0x00
#define IRQ_OFF          0x40
#define PRIORITY_KERNEL  0x40
#define PRIORITY_PENDSV  0xe0

/* Interrupt numbers. */
#define IRQ_ONE_SHOT 8
#define IRQ_COUNTER  10

#endif
