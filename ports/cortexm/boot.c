/* SPDX-License-Identifier: BSD-2-Clause */
/* Boot code and interrupt handlers. */
#include "ports/cortexm/cortexm_host.h"
#include "ports/cortexm/cortexm_kernel.h"

struct rtos rtos;

void boot(void);
void app_main(void *arg); /* the first thread; defined by the program linked with the kernel */
void fault_interrupt(const struct exception_frame *frame);
void tick_interrupt(const struct exception_frame *frame, uint32_t exc_return);
void one_shot_interrupt(const struct exception_frame *frame, uint32_t exc_return);
void counter_interrupt(const struct exception_frame *frame, uint32_t exc_return);

extern uint32_t code_end[], data_start[], data_end[], bss_start[], bss_end[], heap_start[];

/* Return sample data for the interrupted context. A thread is treated as user space, even inside
 * the kernel; another interrupt is treated as the kernel. */
static struct tally_core_sample_data interrupted(const struct exception_frame *frame,
						 uint32_t exc_return)
{
	bool thread = exc_return & 8;

	return (struct tally_core_sample_data){
		.ip = frame->pc,
		.mode = thread ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
		.idle = rtos.current == rtos.threads,
	};
}

void fault_interrupt(const struct exception_frame *frame)
{
	uint32_t number;

	__asm__ volatile("mrs %0, ipsr" : "=r"(number));
	board_panic("fault", number, frame->pc);
}

void tick_interrupt(const struct exception_frame *frame, uint32_t exc_return)
{
	const struct tally_core_sample_data sample_data = interrupted(frame, exc_return);

	struct measured from;

	measure_begin(&from);
	board_clock_tick();
	tally_core_tick(rtos.core, &sample_data);
	thread_tick();
	measure_end(&from, OFF_TICK);
}

/* Handle the one-shot timer, which fires early if the deadline is beyond its range. */
void one_shot_interrupt(const struct exception_frame *frame, uint32_t exc_return)
{
	const struct tally_core_sample_data sample_data = interrupted(frame, exc_return);

	struct measured from;

	measure_begin(&from);
	board_timer_acknowledge();
	if (board_clock_ns() < rtos.deadline) {
		board_timer_arm(rtos.deadline);
		return;
	}
	rtos.deadline = UINT64_MAX;
	tally_core_timer(rtos.core, &sample_data);
	measure_end(&from, OFF_TIMER);
}

void counter_interrupt(const struct exception_frame *frame, uint32_t exc_return)
{
	const struct tally_core_sample_data sample_data = interrupted(frame, exc_return);

	struct measured from;

	measure_begin(&from);
	dualtimer_interrupt(&sample_data);
	measure_end(&from, OFF_COUNTER);
}

/* Boot the system, then become the idle thread. Called from start.S on the idle thread's stack. */
void boot(void)
{
	struct thread *idle = rtos.threads, *first;

	__builtin_memcpy(data_start, code_end, (size_t)((char *)data_end - (char *)data_start));
	__builtin_memset(bss_start, 0, (size_t)((char *)bss_end - (char *)bss_start));
	heap_init(heap_start, DATA_BASE + DATA_SIZE - (size_t)heap_start);
	idle->state = THREAD_READY;
	rtos.current = idle;
	rtos.deadline = UINT64_MAX;
	tally_core_task_init(&idle->perf, 0, 0);
	irq_save();
	board_init();
	irq_restore(0);
	host_start();
	first = thread_new(app_main, NULL, "main", 1, 1);
	if (!first)
		board_panic("no first thread", 0, 0);
	thread_start(first);
	for (;;)
		__asm__ volatile("wfi");
}
