/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Driver for the simulated PMUs. Each port has to provide a driver like this one. The counters are
 * arrays, which the driver accesses only through sim_counter_*() in hardware.c.
 */
#include <errno.h>

#include "base/arith.h"
#include "base/linked_list.h"
#include "hosts/sim/hardware.h"
#include "hosts/sim/sim_private.h"

/* Indexes into hw->config, which init() fills in for the other operations, in addition to
 * SIM_CONFIG_COUNTERS. */
enum { CONFIG_SIGNAL, CONFIG_MODES };

#define MODE(name)  (1u << SIM_##name)
#define HOST_MODES  (MODE(USER) | MODE(KERNEL) | MODE(HYPERVISOR) | MODE(IDLE))
#define GUEST_MODES (MODE(GUEST_USER) | MODE(GUEST_KERNEL))

static struct sim_pmu *driver_of(struct tally_core_pmu *pmu)
{
	return pmu->driver;
}

static struct sim_pmu_cpu *this_cpu(struct sim_pmu *driver)
{
	return &driver->cpus[driver->sim->cpu];
}

/* Check conditions that the core guarantees to a driver; a real driver would not check them. `on`
 * is true if the event has a counter on this CPU. */
static void check_contract(struct sim_pmu *driver, const struct tally_core_hw *hw, bool on,
			   bool running)
{
	struct sim_pmu_cpu *cpu = this_cpu(driver);

	if (!sim_this(driver->sim)->off)
		sim_violate(driver->sim, "a PMU is accessed with interrupts on");
	if (on && (hw->index < 0 || cpu->owner[hw->index] != hw))
		sim_violate(driver->sim, "an operation on an event that is not on this CPU");
	if (!on && hw->index >= 0)
		sim_violate(driver->sim, "add() of an event that has a counter");
	if (hw->running != running)
		sim_violate(driver->sim, "start() twice, or del() before stop()");
}

/* ---- decoding attrs ------------------------------------------------------------ */

/* Return the signal for a PERF_TYPE_HW_CACHE event. Only last-level reads and their misses
 * exist. */
static int cache_signal(uint64_t config)
{
	switch (config) {
	case PERF_COUNT_HW_CACHE_LL: return SIM_CACHE_REFERENCES;
	case PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_RESULT_MISS << 16:
		return SIM_CACHE_MISSES;
	default: return -ENOENT;
	}
}

/* Return the signal for an attr on a PMU with its own list of events. */
static int listed_signal(const struct tally_sim_pmu *desc, const struct perf_event_attr *attr)
{
	uint64_t config = attr->config;

	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		config &= PERF_HW_EVENT_MASK;
	for (uint32_t i = 0; i < desc->nr_events; i++)
		if (desc->events[i].type == attr->type && desc->events[i].config == config)
			return desc->events[i].signal;
	return -ENOENT;
}

/* Return the signal for a raw event, encoded as an event and a unit mask, as on Intel Core
 * processors. Signal numbers are accepted as well. */
static int raw_signal(uint64_t config)
{
	static const struct {
		uint64_t config;
		int signal;
	} codes[] = {
		{0x003c, SIM_CYCLES},           {0x00c0, SIM_INSTRUCTIONS},
		{0x4f2e, SIM_CACHE_REFERENCES}, {0x412e, SIM_CACHE_MISSES},
		{0x00c4, SIM_BRANCHES},         {0x00c5, SIM_BRANCH_MISSES},
		{0x013c, SIM_BUS_CYCLES},       {0x4064, SIM_EXTRA}, /* bus cycles while locked */
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(codes); i++) {
		if (codes[i].config == config)
			return codes[i].signal;
	}
	return config < SIM_NR_HW ? (int)config : -EINVAL;
}

/* Return the signal that an attr selects, -ENOENT if the event is for another PMU, or -EINVAL if no
 * PMU supports the event. */
static int attr_signal(const struct sim_pmu *driver, const struct perf_event_attr *attr)
{
	uint64_t pmu = attr->config >> PERF_PMU_TYPE_SHIFT,
		 event = attr->config & PERF_HW_EVENT_MASK;
	int signal;

	if (attr->type != driver->desc.type && !driver->desc.core)
		return -ENOENT;
	if (driver->desc.events)
		return listed_signal(&driver->desc, attr);
	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		if (pmu && pmu != driver->desc.type)
			return -ENOENT;
		signal = attr->type == PERF_TYPE_HARDWARE ? (int)event : cache_signal(event);
		break;
	default: signal = raw_signal(attr->config);
	}
	if (signal < 0)
		return signal;
	return signal >= SIM_NR_HW || driver->desc.absent & 1u << signal ? -EINVAL : signal;
}

static uint32_t attr_modes(const struct perf_event_attr *attr)
{
	uint32_t modes = (1u << SIM_NR_MODES) - 1;

	modes &= attr->exclude_user ? ~(MODE(USER) | MODE(GUEST_USER)) : ~0u;
	modes &= attr->exclude_kernel ? ~(MODE(KERNEL) | MODE(GUEST_KERNEL) | MODE(IDLE)) : ~0u;
	modes &= attr->exclude_hv ? ~MODE(HYPERVISOR) : ~0u;
	modes &= attr->exclude_idle ? ~MODE(IDLE) : ~0u;
	modes &= attr->exclude_host ? ~HOST_MODES : ~0u;
	modes &= attr->exclude_guest ? ~GUEST_MODES : ~0u;
	return modes;
}

/* Return a bit mask of the counters that can count a signal. */
static uint32_t signal_counters(const struct tally_sim_pmu *desc, unsigned signal)
{
	uint32_t counters = (uint32_t)((1ull << desc->nr_generic) - 1);

	if (desc->constraint[signal])
		counters &= desc->constraint[signal];
	for (uint32_t i = 0; i < desc->nr_fixed; i++)
		if (desc->fixed[i] == signal)
			counters |= 1u << (desc->nr_generic + i);
	return counters;
}

static int verb_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct sim_pmu *driver = driver_of(pmu);
	int signal = attr_signal(driver, hw->attr);

	if (signal < 0)
		return signal;
	hw->config[CONFIG_SIGNAL] = (uint64_t)signal;
	hw->config[CONFIG_MODES] = attr_modes(hw->attr);
	hw->config[SIM_CONFIG_COUNTERS] = signal_counters(&driver->desc, (unsigned)signal);
	hw->width = driver->desc.width;
	hw->index = -1;
	return hw->config[SIM_CONFIG_COUNTERS] ? 0 : -EINVAL;
}

/* ---- assignment of counters: assign.c ------------------------------------------ */

static int verb_fits(struct tally_core_pmu *pmu, struct tally_core_hw *const *hws, uint32_t nr)
{
	return sim_pmu_fits(hws, nr) ? 0 : -EINVAL;
}

static int verb_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct sim_pmu *driver = driver_of(pmu);
	struct sim_pmu_cpu *cpu = this_cpu(driver);

	check_contract(driver, hw, false, false);
	if (!cpu->adding)
		return sim_pmu_assign(driver, &hw, 1);
	if (cpu->nr_noted == SIM_MAX_COUNTERS)
		return -ENOSPC;
	cpu->noted[cpu->nr_noted++] = hw;
	return 0;
}

static void verb_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct sim_pmu_cpu *cpu = this_cpu(driver_of(pmu));

	check_contract(driver_of(pmu), hw, hw->index >= 0, false);
	if (hw->index >= 0)
		cpu->owner[hw->index] = NULL;
	hw->index = -1;
	for (uint32_t i = 0; i < cpu->nr_noted; i++)
		if (cpu->noted[i] == hw)
			cpu->noted[i--] = cpu->noted[--cpu->nr_noted];
}

static void verb_begin(struct tally_core_pmu *pmu)
{
	struct sim_pmu_cpu *cpu = this_cpu(driver_of(pmu));

	cpu->adding = true;
	cpu->nr_noted = 0;
}

static int verb_commit(struct tally_core_pmu *pmu)
{
	struct sim_pmu *driver = driver_of(pmu);
	struct sim_pmu_cpu *cpu = this_cpu(driver);
	int ret = sim_pmu_assign(driver, cpu->noted, cpu->nr_noted);

	cpu->adding = false;
	cpu->nr_noted = 0;
	return ret;
}

static void verb_cancel(struct tally_core_pmu *pmu)
{
	struct sim_pmu_cpu *cpu = this_cpu(driver_of(pmu));

	cpu->adding = false;
	cpu->nr_noted = 0;
}

/* ---- counting --------------------------------------------------------------------- */

static uint64_t counter_of(struct sim_pmu *driver, const struct tally_core_hw *hw)
{
	return sim_counter_read(driver->sim, driver->number, (uint32_t)hw->index);
}

/* Start an event's counter at `value`. */
static void counter_start(struct sim_pmu *driver, const struct tally_core_hw *hw, uint64_t value)
{
	uint32_t index = (uint32_t)hw->index;

	sim_counter_write(driver->sim, driver->number, index, value);
	sim_counter_enable(driver->sim, driver->number, index, (uint8_t)hw->config[CONFIG_SIGNAL],
			   (uint32_t)hw->config[CONFIG_MODES]);
}

static void verb_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	check_contract(driver_of(pmu), hw, true, false);
	counter_start(driver_of(pmu), hw, tally_core_hw_arm(hw));
	hw->running = true;
}

static void verb_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct sim_pmu *driver = driver_of(pmu);

	if (!hw->running)
		return;
	check_contract(driver, hw, true, true);
	sim_counter_disable(driver->sim, driver->number, (uint32_t)hw->index);
	hw->running = false;
	tally_core_hw_update(hw, counter_of(driver, hw));
}

static uint64_t read_counter(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return counter_of(driver_of(pmu), hw);
}

static void verb_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	check_contract(driver_of(pmu), hw, true, true);
	tally_core_hw_fold(pmu, hw, read_counter);
}

static void verb_pause(struct tally_core_pmu *pmu)
{
	sim_bank_pause(driver_of(pmu)->sim, driver_of(pmu)->number, true);
}

static void verb_resume(struct tally_core_pmu *pmu)
{
	sim_bank_pause(driver_of(pmu)->sim, driver_of(pmu)->number, false);
}

/* Handle the overflow interrupt. While an overflow is being handled, the core may stop this or
 * another counter. */
void sim_pmu_interrupt(struct sim_pmu *driver, const struct tally_core_sample_data *sample_data)
{
	struct sim_pmu_cpu *cpu = this_cpu(driver);
	uint64_t next;

	for (uint32_t i = 0; i < SIM_MAX_COUNTERS; i++) {
		struct tally_core_hw *hw = cpu->owner[i];
		struct tally_core_sample_data here = *sample_data;

		if (!hw || !hw->running || !sim_counter_overflowed(driver->sim, driver->number, i))
			continue;
		sim_counter_disable(driver->sim, driver->number, i);
		here.exact_ip = hw->attr->precise_ip;
		if (tally_core_hw_overflow(hw, counter_of(driver, hw), &here, &next) && hw->running)
			counter_start(driver, hw, next);
		else
			hw->running = false;
	}
}

int sim_pmu_register(struct tally_sim *sim, uint32_t number, const struct tally_sim_pmu *desc)
{
	struct sim_pmu *driver = &sim->pmus[number];
	bool whole = !desc->immediate;

	driver->sim = sim;
	driver->desc = *desc;
	driver->number = number;
	driver->pmu = (struct tally_core_pmu){
		.name = desc->name,
		.type = desc->type,
		.core = desc->core,
		.nr_counters = (uint8_t)(desc->nr_generic + desc->nr_fixed),
		.width = desc->width,
		.caps = desc->caps,
		.max_precise = desc->max_precise,
		.init = verb_init,
		.fits = verb_fits,
		.add = verb_add,
		.del = verb_del,
		.start = verb_start,
		.stop = verb_stop,
		.read = verb_read,
		.begin = whole ? verb_begin : NULL,
		.commit = whole ? verb_commit : NULL,
		.cancel = whole ? verb_cancel : NULL,
		.pause = desc->no_pause ? NULL : verb_pause,
		.resume = desc->no_pause ? NULL : verb_resume,
		.driver = driver,
	};
	return tally_core_pmu_register(sim->core, &driver->pmu);
}
