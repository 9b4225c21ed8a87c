/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU. QEMU does not emulate the Cortex-M3's own counters (DWT), but the board's dual timer has
 * a 16-bit counter for clock cycles, which raises an interrupt at 0. As the timer counts down, the
 * counter's value is the negated timer value, so the counter overflows when the timer reaches 0.
 * "Interrupts off" does not mask the timer's interrupt.
 */
#include "ports/cortexm/cortexm_host.h"
#include "ports/cortexm/cortexm_kernel.h"

enum { LOAD, VALUE, CONTROL, INTCLEAR }; /* registers of the first timer */
enum { CONTROL_ENABLE = 1 << 7, CONTROL_INTERRUPT = 1 << 5 };
enum { WIDTH = 16, MASK = (1 << WIDTH) - 1 };

#define TIMER         device(0x40002000)
#define IRQ_UNPENDING device(0xe000e280)

static struct tally_core_hw *owner;

static uint64_t counter_value(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return -TIMER[VALUE] & MASK;
}

static void counter_set(uint64_t value)
{
	TIMER[CONTROL] = 0;
	TIMER[LOAD] = -(uint32_t)value & MASK;
	TIMER[INTCLEAR] = 1;
	*IRQ_UNPENDING = 1 << IRQ_COUNTER;
	TIMER[CONTROL] = CONTROL_ENABLE | CONTROL_INTERRUPT;
}

static void counter_stop(void)
{
	TIMER[CONTROL] = 0;
	TIMER[INTCLEAR] = 1;
	*IRQ_UNPENDING = 1 << IRQ_COUNTER;
}

static int verb_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	const struct perf_event_attr *attr = hw->attr;

	if ((attr->type != PERF_TYPE_HARDWARE && attr->type != pmu->type) ||
	    attr->config != PERF_COUNT_HW_CPU_CYCLES)
		return -ENOENT;
	hw->width = WIDTH;
	hw->index = -1;
	return 0;
}

static int verb_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	if (owner)
		return -ENOSPC;
	owner = hw;
	hw->index = 0;
	return 0;
}

static void verb_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	owner = NULL;
	hw->index = -1;
}

static void verb_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	uint64_t from = tally_core_hw_arm(hw);

	hw->running = true;
	counter_set(from);
}

/* Stop the counter. The interrupt handler does not change the counter once `running` is false. */
static void verb_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	bool ran = hw->running;

	__atomic_store_n(&hw->running, false, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!ran)
		return;
	TIMER[CONTROL] = 0;
	tally_core_hw_update(hw, counter_value(pmu, hw));
	counter_stop();
}

static void verb_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_core_hw_fold(pmu, hw, counter_value);
}

/* Handle the counter interrupt. The counter is stopped during the interrupt, so the handler's own
 * cycles are not counted. */
void dualtimer_interrupt(const struct tally_core_sample_data *sample_data)
{
	struct tally_core_hw *hw = owner;
	uint64_t next;

	TIMER[CONTROL] = 0;
	TIMER[INTCLEAR] = 1;
	if (!hw || !hw->running)
		return;
	if (tally_core_hw_overflow(hw, counter_value(NULL, hw), sample_data, &next) && hw->running)
		counter_set(next);
	else
		hw->running = false;
}

static struct tally_core_pmu pmu = {
	.name = "dualtimer",
	.type = 8,
	.core = true,
	.nr_counters = 1,
	.width = WIDTH,
	.caps = TALLY_PMU_NO_EXCLUDE,
	.init = verb_init,
	.add = verb_add,
	.del = verb_del,
	.start = verb_start,
	.stop = verb_stop,
	.read = verb_read,
};

int dualtimer_register(struct tally_core *core, void *host)
{
	return tally_core_pmu_register(core, &pmu);
}
