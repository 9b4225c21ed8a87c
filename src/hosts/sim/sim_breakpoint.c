/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Breakpoints as on x86-64. Each CPU has four registers. Each register watches 1, 2, 4 or 8 aligned
 * bytes for stores, or for loads and stores, or one address for execution. Registers are reserved
 * when an event is opened, on every CPU where it may run, so an open event can always be scheduled.
 */
#include <errno.h>

#include "base/arith.h"
#include "base/vec.h"
#include "hosts/sim/sim_entry.h"
#include "hosts/sim/hardware.h"
#include "hosts/sim/sim_private.h"

enum { BREAKPOINT_INVALID = HW_BREAKPOINT_RW | HW_BREAKPOINT_X };

static struct tally_sim *sim_of(struct tally_core_pmu *pmu)
{
	return pmu->driver;
}

/* ---- reservation ------------------------------------------------------------------------ */

/* Return the number of registers reserved on a CPU for a task, or for the CPU's own events if
 * `task` is NULL. */
static uint32_t reserved(const struct tally_sim *sim, uint32_t cpu,
			 const struct tally_core_task *task)
{
	uint32_t nr = 0;

	tally_vec_for_each (hw, &sim->breakpoints)
		nr += (*hw)->task == task && ((*hw)->cpu < 0 || (uint32_t)(*hw)->cpu == cpu);
	return nr;
}

/* Return the largest number of registers that a single task has reserved on a CPU. */
static uint32_t most_reserved(const struct tally_sim *sim, uint32_t cpu)
{
	uint32_t most = 0;

	tally_vec_for_each (hw, &sim->breakpoints) {
		uint32_t nr = (*hw)->task ? reserved(sim, cpu, (*hw)->task) : 0;

		most = TALLY_MAX(most, nr);
	}
	return most;
}

static bool can_reserve(const struct tally_sim *sim, const struct tally_core_hw *hw, uint32_t cpu)
{
	uint32_t tasks = hw->task ? reserved(sim, cpu, hw->task) : most_reserved(sim, cpu);

	return reserved(sim, cpu, NULL) + tasks < sim->config.nr_breakpoints;
}

static int reserve(struct tally_sim *sim, struct tally_core_hw *hw)
{
	for (uint32_t i = 0; i < sim->config.nr_cpus; i++)
		if ((hw->cpu < 0 || (uint32_t)hw->cpu == i) && !can_reserve(sim, hw, i))
			return -ENOSPC;
	return tally_vec_push(&sim->breakpoints, hw) ? -ENOMEM : 0;
}

static void verb_forget(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_sim *sim = sim_of(pmu);

	for (size_t i = 0; i < sim->breakpoints.len; i++)
		if (sim->breakpoints.data[i] == hw) {
			sim->breakpoints.data[i] = sim->breakpoints.data[--sim->breakpoints.len];
			return;
		}
	sim_violate(sim, "forget() of a breakpoint that was not reserved");
}

/* ---- checking attrs --------------------------------------------------------------------- */

static int check_length(const struct perf_event_attr *attr)
{
	if (attr->bp_type == HW_BREAKPOINT_X)
		return attr->bp_len == sizeof(uint64_t) ? 0 : -EINVAL;
	if (attr->bp_type != HW_BREAKPOINT_W && attr->bp_type != HW_BREAKPOINT_RW)
		return -EINVAL;
	if (!tally_is_pow2(attr->bp_len) || attr->bp_addr & (attr->bp_len - 1))
		return -EINVAL;
	return attr->bp_len <= sizeof(uint64_t) ? 0 : -EOPNOTSUPP;
}

static bool is_admin(const struct tally_core_task *current)
{
	const struct tally_sim_task *task =
		tally_container_of(current, struct tally_sim_task, perf);

	return !current || task->caps & 1ull << TALLY_CORE_CAP_SYS_ADMIN;
}

static int verb_check(struct tally_core_pmu *pmu, const struct perf_event_attr *attr,
		      const struct tally_core_task *current)
{
	bool in_kernel = (attr->bp_addr | (attr->bp_addr + attr->bp_len - 1)) >> 63;
	int error = check_length(attr);

	sim_check_may_sleep(sim_of(pmu), "check() with interrupts off", "check() under a lock");
	if (error || !in_kernel)
		return error;
	if (attr->exclude_kernel)
		return -EINVAL;
	return is_admin(current) ? 0 : -EPERM;
}

static int verb_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	const struct perf_event_attr *attr = hw->attr;

	if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
		return -EOPNOTSUPP;
	if (attr->bp_type == HW_BREAKPOINT_EMPTY || attr->bp_type == BREAKPOINT_INVALID)
		return -EINVAL;
	return reserve(sim_of(pmu), hw);
}

static void verb_inherit(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	if (reserve(sim_of(pmu), hw))
		sim_violate(sim_of(pmu), "a child has more breakpoints than can be reserved");
}

static int verb_modify(struct tally_core_pmu *pmu, struct tally_core_hw *hw,
		       const struct perf_event_attr *attr)
{
	if (hw->index >= 0 || hw->running)
		sim_violate(sim_of(pmu), "modify() of a breakpoint that is on");
	return 0;
}

/* ---- on a CPU --------------------------------------------------------------------------- */

static int verb_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_sim *sim = sim_of(pmu);
	struct tally_core_hw **slots = sim_this(sim)->breakpoints;

	for (int32_t i = 0; i < sim->config.nr_breakpoints; i++)
		if (!slots[i]) {
			slots[i] = hw;
			hw->index = i;
			return 0;
		}
	sim_violate(sim, "more breakpoints are on than were reserved");
	return -EBUSY;
}

static void verb_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	struct tally_core_hw **slots = sim_this(sim_of(pmu))->breakpoints;

	if (hw->index < 0 || slots[hw->index] != hw)
		sim_violate(sim_of(pmu), "del() of a breakpoint that is not on this CPU");
	else
		slots[hw->index] = NULL;
	hw->index = -1;
}

static void verb_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->running = true;
}

static void verb_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->running = false;
}

static void verb_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
}

static bool is_hit(const struct perf_event_attr *attr, const struct tally_sim_access *access)
{
	if (!(attr->bp_type & access->type))
		return false;
	if (access->type == HW_BREAKPOINT_X)
		return access->addr == attr->bp_addr;
	return access->addr < attr->bp_addr + attr->bp_len &&
	       attr->bp_addr < access->addr + access->len;
}

void sim_access(struct tally_sim *sim, const struct tally_sim_access *access)
{
	struct tally_core_sample_data sample_data = sim_sample_data(sim_this(sim));
	struct tally_core_hw *const *slots = sim_this(sim)->breakpoints;

	sample_data.mode = sim_misc(access->mode);
	sim_hook_begin(sim, sim->cpu);
	for (int i = 0; i < sim->config.nr_breakpoints; i++)
		if (slots[i] && is_hit(slots[i]->attr, access)) {
			sample_data.addr = slots[i]->attr->bp_addr;
			tally_core_hw_count(slots[i], 1, &sample_data);
		}
	sim_hook_end(sim);
}

int sim_breakpoints_register(struct tally_sim *sim)
{
	sim->breakpoint_pmu = (struct tally_core_pmu){
		.name = "breakpoint",
		.type = PERF_TYPE_BREAKPOINT,
		.nr_counters = sim->config.nr_breakpoints,
		.width = 64,
		.caps = TALLY_PMU_SOFTWARE,
		.init = verb_init,
		.check = verb_check,
		.inherit = verb_inherit,
		.forget = verb_forget,
		.modify = verb_modify,
		.add = verb_add,
		.del = verb_del,
		.start = verb_start,
		.stop = verb_stop,
		.read = verb_read,
		.driver = sim,
	};
	return tally_core_pmu_register(sim->core, &sim->breakpoint_pmu);
}
