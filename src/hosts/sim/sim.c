/* SPDX-License-Identifier: BSD-2-Clause */
/* Create and destroy the machine. */
#include <errno.h>
#include <stdlib.h>

#include "hosts/sim/hardware.h"
#include "hosts/sim/schedule.h"
#include "hosts/sim/sim_script.h"
#include "hosts/sim/sim_private.h"

enum { QUANTUM_NS = 4000000, NR_PAGES = 16384 };

void sim_violate(struct tally_sim *sim, const char *what)
{
	if (sim->config.violated)
		sim->config.violated(sim->config.violated_arg, what);
	if (!sim->violation)
		sim->violation = what;
}

uint64_t sim_random(struct tally_sim *sim)
{
	sim->random ^= sim->random << 13;
	sim->random ^= sim->random >> 7;
	sim->random ^= sim->random << 17;
	return sim->random * 0x2545f4914f6cdd1dull;
}

static int cpu_init(struct tally_sim *sim, struct sim_cpu *cpu)
{
	struct tally_sim_task *idle = &cpu->idle;

	tally_list_init(&cpu->queue);
	cpu->current = idle;
	cpu->timer_at = cpu->tick_at = cpu->quantum_at = SIM_NEVER;
	idle->is_idle = true;
	idle->cpu = idle->last_cpu = (uint32_t)(cpu - sim->cpus);
	idle->segment = &sim->idling;
	idle->counts = calloc(sim->config.nr_cpus, sizeof(*idle->counts));
	return idle->counts ? 0 : -ENOMEM;
}

static int cpus_init(struct tally_sim *sim)
{
	int ret = 0;

	sim->idling = (struct tally_sim_segment){.mode = SIM_IDLE, .rates = sim->config.idle};
	for (uint32_t i = 0; i < sim->config.nr_cpus && !ret; i++)
		ret = cpu_init(sim, &sim->cpus[i]);
	return ret;
}

static int pmu_init(struct tally_sim *sim, uint32_t number)
{
	const struct tally_sim_pmu *desc = &sim->config.pmus[number];

	if (desc->width < 8 || desc->width > 64 ||
	    desc->nr_generic + desc->nr_fixed > SIM_MAX_COUNTERS ||
	    (desc->max_precise && desc->skid_ns) || desc->nr_fixed > sizeof(desc->fixed))
		return -EINVAL;
	for (uint32_t i = 0; i < sim->config.nr_cpus; i++) {
		struct sim_bank *bank = &sim->cpus[i].banks[number];

		bank->nr = (uint8_t)(desc->nr_generic + desc->nr_fixed);
		bank->width = desc->width;
		bank->skid_ns = desc->skid_ns;
		bank->maskable = desc->maskable;
	}
	return sim_pmu_register(sim, number, desc);
}

/* Create the core, register the PMUs, and bring the CPUs online. */
static int core_init(struct tally_sim *sim)
{
	int ret = tally_core_create(&sim->ops, sim, sim->config.nr_cpus, sim->config.settings,
				    &sim->core);

	for (uint32_t i = 0; i < sim->config.nr_pmus && !ret; i++)
		ret = pmu_init(sim, i);
	if (!ret && sim->config.nr_breakpoints)
		ret = sim_breakpoints_register(sim);
	for (uint32_t i = 0; i < sim->config.nr_cpus && !ret; i++)
		ret = tally_sim_cpu_online(sim, i);
	return ret;
}

int tally_sim_create(const struct tally_sim_config *config, struct tally_sim **ret_sim)
{
	struct tally_sim *sim;
	int ret;

	if (!config->nr_cpus || config->nr_cpus > SIM_MAX_CPUS || config->nr_pmus > SIM_MAX_PMUS ||
	    config->nr_breakpoints > SIM_MAX_BREAKPOINTS)
		return -EINVAL;
	sim = calloc(1, sizeof(*sim));
	if (!sim)
		return -ENOMEM;
	sim->config = *config;
	sim->ops = sim_ops;
	if (config->bare)
		sim_ops_strip(&sim->ops);
	if (config->tells_switches)
		sim->ops.offers |= TALLY_HOST_REPORTS_SWITCHES;
	if (config->says_running)
		sim->ops.running = sim_op_running;
	if (config->no_task_cpu)
		sim->ops.task_cpu = NULL;
	if (!sim->config.quantum_ns)
		sim->config.quantum_ns = QUANTUM_NS;
	sim->random = config->seed * 0x9e3779b97f4a7c15ull | 1;
	sim->nr_pages = config->nr_pages ? config->nr_pages : NR_PAGES;
	tally_list_init(&sim->sleepers);
	ret = sim_memory_init(sim);
	if (!ret)
		ret = cpus_init(sim);
	if (!ret)
		ret = core_init(sim);
	if (ret)
		tally_sim_destroy(sim);
	else
		*ret_sim = sim;
	return ret;
}

static void users_free(struct tally_sim *sim)
{
	struct sim_user *next;

	for (struct sim_user *user = sim->users; user; user = next) {
		next = user->next;
		if (user->account.locked_pages)
			sim_violate(sim, "pages are still accounted to a user");
		free(user);
	}
}

/* Make all tasks exit before the core is destroyed, as their descriptors may refer to other tasks'
 * events. */
static void tasks_end(struct tally_sim *sim)
{
	const struct tally_sim_step step = SIM_EXIT();

	tally_vec_for_each (task, &sim->tasks)
		tally_sim_execute(sim, *task, &step);
}

size_t tally_sim_destroy(struct tally_sim *sim)
{
	size_t left;

	if (!sim)
		return 0;
	tasks_end(sim);
	for (uint32_t i = 0; i < sim->config.nr_cpus; i++)
		if (sim->cpus[i].online)
			tally_core_cpu_offline(sim->core, i);
	tally_core_destroy(sim->core);
	left = sim->held_bytes + sim->held_pages;
	tally_vec_for_each (task, &sim->tasks)
		sim_task_free(*task);
	tally_vec_free(&sim->tasks);
	if (sim->breakpoints.len)
		sim_violate(sim, "breakpoints without forget()");
	tally_vec_free(&sim->breakpoints);
	users_free(sim);
	for (uint32_t i = 0; i < sim->config.nr_cpus; i++)
		free(sim->cpus[i].idle.counts);
	sim_memory_exit(sim);
	free(sim);
	return left;
}

struct tally_core *tally_sim_core(struct tally_sim *sim)
{
	return sim->core;
}

const struct tally_host_ops *tally_sim_ops(const struct tally_sim *sim)
{
	return &sim->ops;
}

void tally_sim_forbid(struct tally_sim *sim, uint32_t accesses)
{
	sim->forbidden = accesses;
}

const char *tally_sim_violation(const struct tally_sim *sim)
{
	return sim->violation;
}

const struct tally_core_refusal *tally_sim_refusal(const struct tally_sim *sim)
{
	return &sim->refusal;
}

uint64_t tally_sim_now(const struct tally_sim *sim)
{
	return sim->now;
}

/* ---- CPU hotplug ----------------------------------------------------------------- */

int tally_sim_cpu_online(struct tally_sim *sim, uint32_t number)
{
	struct sim_cpu *cpu;
	int ret;

	if (number >= sim->config.nr_cpus)
		return -EINVAL;
	cpu = &sim->cpus[number];
	if (cpu->online)
		return 0;
	sim_update_counts(sim, cpu);
	cpu->online = true;
	ret = tally_core_cpu_online(sim->core, number);
	cpu->online = !ret;
	cpu->tick_at = sim->now + tally_core_settings(sim->core)->tick_ns;
	return ret;
}

static uint32_t another_cpu(const struct tally_sim *sim, uint32_t than)
{
	uint32_t i = 0;

	while (i < sim->config.nr_cpus && (i == than || !sim->cpus[i].online))
		i++;
	return i;
}

int tally_sim_cpu_offline(struct tally_sim *sim, uint32_t number)
{
	uint32_t other = another_cpu(sim, number);
	struct sim_cpu *cpu;

	if (number >= sim->config.nr_cpus || other == sim->config.nr_cpus)
		return -EBUSY;
	cpu = &sim->cpus[number];
	if (!cpu->online)
		return 0;
	tally_vec_for_each (task, &sim->tasks)
		if ((*task)->cpu == number && (*task)->state != SIM_EXITED)
			sim_migrate(sim, *task, other);
	sim->cpu = other;
	tally_core_cpu_offline(sim->core, number);
	sim_update_counts(sim, cpu);
	cpu->online = false;
	cpu->timer_at = SIM_NEVER;
	return 0;
}
