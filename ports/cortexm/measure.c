/* SPDX-License-Identifier: BSD-2-Clause */
/* Measure the stack usage or the duration of a piece of code. The two are never measured at the
 * same time, since painting a stack takes time. */
#include "ports/cortexm/cortexm_kernel.h"

enum { PROBED = 2048 }; /* bytes below the start: more than the core uses in any call */

static uint32_t *lowest(const struct measured *from)
{
	return (uint32_t *)(((uintptr_t)from - PROBED) & ~(uintptr_t)3);
}

/* Start a measurement. An interrupt during the measurement is included. */
void measure_begin(struct measured *from)
{
	if (rtos.measure_stacks)
		paint_stack(lowest(from));
	from->since = board_clock_low();
}

static void note_most(uint32_t *most, uint32_t value)
{
	*most = value > *most ? value : *most;
}

void measure_end(const struct measured *from, enum irq_off_kind why)
{
	uint32_t took = board_clock_low() - from->since;
	const volatile uint32_t *at = lowest(from);

	if (!rtos.measure_stacks) {
		note_most(&rtos.longest[why], took);
		return;
	}
	while (*at == STACK_PAINT)
		at++;
	note_most(&rtos.deepest[why], (uint32_t)((uintptr_t)from - (uintptr_t)at));
}
