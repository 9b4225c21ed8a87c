/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU: RISC-V's counters with the Sscofpmf extension, used from supervisor mode. Cycles and
 * retired instructions have one fixed counter each, and the fixed counters cannot interrupt. Any
 * event can use a programmable counter, which can interrupt. Only machine mode can write counters
 * (monitor_program()); all modes can read them.
 *
 * Limitations of QEMU 7.2: An event can be on only one programmable counter at a time. Mode filters
 * have no effect on cycles and instructions. If the cycle counter or the instruction counter
 * overflows, both of them report an overflow. Once a counter has been set to -N, with N at least
 * half the counter's range, it misses a later overflow, so counters are used as if they had 63
 * bits. On 32-bit machines, QEMU does not carry from the lower half of a written counter into the
 * upper half, so only the lower half is read, as if it had 31 bits.
 */
#include "ports/riscv/riscv_host.h"
#include "ports/riscv/riscv_kernel.h"

enum { FIRST = 3, NR_COUNTERS = 19, FIXED_NONE = 0xff, WIDTH = __riscv_xlen - 1, FIXED_WIDTH = 63 };
enum { CONFIG_EVENT, CONFIG_FIXED }; /* indexes into hw->config */

#define NOT_KERNEL (UINT64_C(1) << 61)
#define NOT_USER   (UINT64_C(1) << 60)
#define CACHE_MISS(cache, op)                                             \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
	 PERF_COUNT_HW_CACHE_RESULT_MISS << 16)

static const struct event {
	uint32_t type;
	uint64_t config, code;
	uint8_t fixed; /* fixed counter for the event, or FIXED_NONE */
} events[] = {
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1, 0},
	{PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 2, 2},
	{PERF_TYPE_HW_CACHE, CACHE_MISS(DTLB, READ), 0x10019, FIXED_NONE},
	{PERF_TYPE_HW_CACHE, CACHE_MISS(DTLB, WRITE), 0x1001b, FIXED_NONE},
	{PERF_TYPE_HW_CACHE, CACHE_MISS(ITLB, READ), 0x10021, FIXED_NONE},
};
enum { NR_EVENTS = sizeof(events) / sizeof(events[0]) };

/* Events on a hart's counters. */
struct bank {
	struct tally_core_hw *owner[NR_COUNTERS];
};
static struct bank banks[MAX_HARTS];

static struct bank *this_bank(void)
{
	return &banks[this_cpu()->number];
}

static int verb_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	const struct perf_event_attr *attr = hw->attr;

	for (size_t i = 0; i < NR_EVENTS; i++) {
		bool raw = attr->type == PERF_TYPE_RAW || attr->type == pmu->type;

		if (raw ? attr->config != events[i].code
			: attr->type != events[i].type || attr->config != events[i].config)
			continue;
		hw->config[CONFIG_EVENT] = events[i].code |
					   (attr->exclude_kernel ? NOT_KERNEL : 0) |
					   (attr->exclude_user ? NOT_USER : 0);
		hw->config[CONFIG_FIXED] = events[i].fixed;
		hw->width = WIDTH;
		hw->index = -1;
		return 0;
	}
	return -ENOENT;
}

static bool same_event(const struct tally_core_hw *a, const struct tally_core_hw *b)
{
	return a && ((a->config[CONFIG_EVENT] ^ b->config[CONFIG_EVENT]) & UINT32_MAX) == 0;
}

/* Find a counter for the event. Returns -EBUSY if no counter is free. */
static int counter_find(const struct bank *bank, const struct tally_core_hw *hw)
{
	uint64_t fixed = hw->config[CONFIG_FIXED];
	int free = -EBUSY;

	if (fixed != FIXED_NONE && !hw->attr->sample_period && !bank->owner[fixed])
		return (int)fixed;
	for (int i = NR_COUNTERS - 1; i >= FIRST; i--) {
		if (same_event(bank->owner[i], hw))
			return -EBUSY;
		if (!bank->owner[i])
			free = i;
	}
	return free;
}

static int verb_fits(struct tally_core_pmu *pmu, struct tally_core_hw *const *hws, uint32_t nr)
{
	struct bank bank = {0};

	for (uint32_t i = 0; i < nr; i++) {
		int index = counter_find(&bank, hws[i]);

		if (index < 0)
			return -EINVAL;
		bank.owner[index] = hws[i];
	}
	return 0;
}

static int verb_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	int index = counter_find(this_bank(), hw);

	if (index < 0)
		return index;
	this_bank()->owner[index] = hw;
	hw->index = index;
	hw->width = index < FIRST ? FIXED_WIDTH : WIDTH;
	return 0;
}

static void verb_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	this_bank()->owner[hw->index] = NULL;
	hw->index = -1;
}

/* Start the counter at `value`, which is negative. */
static void counter_start(const struct tally_core_hw *hw, uint64_t value)
{
	monitor_program((uintptr_t)hw->index, hw->config[CONFIG_EVENT],
			value | UINT64_MAX << WIDTH);
}

/* Start the counter. Fixed counters are never written, so they continue from their current
 * value. */
static void verb_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	if (hw->index < FIRST)
		hw->previous = counter_read((uintptr_t)hw->index);
	else
		counter_start(hw, tally_core_hw_arm(hw));
	hw->running = true;
}

static void verb_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_core_hw_update(hw, counter_read((uintptr_t)hw->index));
}

static void verb_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	if (!hw->running)
		return;
	verb_read(pmu, hw);
	hw->running = false;
	if (hw->index >= FIRST)
		monitor_program((uintptr_t)hw->index, 0, 0);
}

/* Handle a possible overflow. Counters count up from a negative number, so a counter that is still
 * negative has not overflowed, even if its flag is set. The counter is written again, so that its
 * next overflow is reported. */
static void overflow(struct tally_core_hw *hw, const struct tally_core_sample_data *sample_data)
{
	uint64_t now = counter_read((uintptr_t)hw->index), next = now;

	if ((intptr_t)now < 0 ||
	    (tally_core_hw_overflow(hw, now, sample_data, &next) && hw->running)) {
		counter_start(hw, next);
	} else {
		hw->running = false;
		monitor_program((uintptr_t)hw->index, 0, 0);
	}
}

void sscofpmf_interrupt(const struct tally_core_sample_data *sample_data)
{
	struct bank *bank = this_bank();

	csr_clear(sip, 1 << IRQ_COUNTER);
	for (int i = FIRST; i < NR_COUNTERS; i++) {
		if (bank->owner[i] && bank->owner[i]->running)
			overflow(bank->owner[i], sample_data);
	}
}

static struct tally_core_pmu pmu = {
	.name = "sscofpmf",
	.type = 8,
	.core = true,
	.nr_counters = 18,
	.width = WIDTH,
	.caps = TALLY_PMU_USER_READ,
	.init = verb_init,
	.fits = verb_fits,
	.add = verb_add,
	.del = verb_del,
	.start = verb_start,
	.stop = verb_stop,
	.read = verb_read,
};

int tally_core_pmu_init(struct tally_core *core, void *host)
{
	return tally_core_pmu_register(core, &pmu);
}
