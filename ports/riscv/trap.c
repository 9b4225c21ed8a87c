/* SPDX-License-Identifier: BSD-2-Clause */
/* Trap handling and boot code. */
#include "ports/riscv/riscv_host.h"
#include "ports/riscv/riscv_kernel.h"

struct kernel kernel;

void trap(struct trap_frame *frame, intptr_t cause, uintptr_t value);
void boot(uint32_t hart);
void user_main(void *arg);

static void interrupt(struct trap_frame *frame, uint32_t number)
{
	bool user = !(frame->status & STATUS_SPP);
	const struct tally_core_sample_data sample_data = {
		.ip = frame->x[0],
		.mode = user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
		.idle = this_cpu()->current == &this_cpu()->idle,
		.regs = frame,
	};

	switch (number) {
	case IRQ_COUNTER: sscofpmf_interrupt(&sample_data); break;
	case IRQ_TIMER: timer_interrupt(&sample_data); break;
	case IRQ_SOFT: host_call_interrupt(); break;
	default: panic("interrupt", number, frame->x[0]);
	}
}

static void exception(struct trap_frame *frame, uint64_t cause, uint64_t value)
{
	if (frame->status & STATUS_SPP)
		panic("fault in the kernel", cause, frame->x[0]);
	csr_set(sstatus, STATUS_SIE);
	if (cause != 8)
		panic("fault in a task", cause << 32 | (uint32_t)value, frame->x[0]);
	frame->x[0] += 4;
	frame->x[X_A0] = (uintptr_t)call_dispatch(frame);
	csr_clear(sstatus, STATUS_SIE);
}

/* Handle a trap. Called from start.S with interrupts off. Tasks are not preempted in the kernel. */
void trap(struct trap_frame *frame, intptr_t cause, uintptr_t value)
{
	if (cause < 0)
		interrupt(frame, (uint32_t)cause & 63);
	else
		exception(frame, (uintptr_t)cause, value);
	if (!(frame->status & STATUS_SPP) && this_cpu()->resched)
		task_schedule(true);
}

/* ---- boot --------------------------------------------------------------------------------- */

static void cpu_start(uint32_t number)
{
	struct cpu *cpu = &kernel.cpus[number];

	cpu->number = number;
	cpu->current = &cpu->idle;
	cpu->deadline = UINT64_MAX;
	cpu->next_tick = clock_ns() + TICK_NS;
	__asm__ volatile("mv tp, %0" : : "r"(cpu));
	memory_translate();
	timer_program(cpu);
	csr_set(sie, 1 << IRQ_SOFT | 1 << IRQ_TIMER | 1 << IRQ_COUNTER);
}

/* Return the number of harts. The first hart sleeps for a tick while the other harts report that
 * they exist. */
static uint32_t count_harts(void)
{
	struct cpu wait = {.next_tick = clock_ns() + TICK_NS, .deadline = UINT64_MAX};
	uint32_t nr = 0;

	timer_program(&wait);
	csr_set(sie, 1 << IRQ_TIMER);
	while (clock_ns() < wait.next_tick)
		__asm__ volatile("wfi");
	while (__atomic_load_n(&kernel.present, __ATOMIC_ACQUIRE) >> nr)
		nr++;
	return nr;
}

/* Boot a hart. Called from start.S on each hart, in supervisor mode. */
void boot(uint32_t hart)
{
	__atomic_fetch_or(&kernel.present, 1U << hart, __ATOMIC_RELEASE);
	if (hart == 0) {
		kernel.nr_cpus = count_harts();
		memory_init();
		cpu_start(0);
		host_start();
		__atomic_store_n(&kernel.running, true, __ATOMIC_RELEASE);
		for (uint32_t other = 1; other < kernel.nr_cpus; other++)
			ipi_send(other);
	} else {
		csr_set(sie, 1 << IRQ_SOFT);
		while (!__atomic_load_n(&kernel.running, __ATOMIC_ACQUIRE))
			__asm__ volatile("wfi");
		cpu_start(hart);
	}
	host_online();
	/* The last hart to come online starts the first task. */
	if (__atomic_add_fetch(&kernel.nr_online, 1, __ATOMIC_ACQ_REL) == kernel.nr_cpus)
		task_ready(task_new((uintptr_t)user_main, kernel.nr_cpus, "main"));
	task_idle();
}
