/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry points to the core: hooks, which run on a CPU with interrupts off, and calls on behalf of a
 * task. */
#include "hosts/sim/sim_entry.h"
#include "hosts/sim/hardware.h"
#include "hosts/sim/schedule.h"
#include "hosts/sim/sim_private.h"

void sim_hook_begin(struct tally_sim *sim, uint32_t cpu)
{
	sim->cpu = cpu;
	sim_update_counts(sim, sim_this(sim));
	if (sim_this(sim)->off++)
		sim_violate(sim, "a hook is called with interrupts off");
}

void sim_hook_end(struct tally_sim *sim)
{
	if (--sim_this(sim)->off)
		sim_violate(sim, "a hook changed the interrupt state");
	sim_this(sim)->off = 0;
	sim_run_deferred(sim);
}

struct sim_call sim_call_begin(struct tally_sim *sim, struct tally_sim_task *task)
{
	struct sim_call call = {.before = sim->cpu, .cpu = task->cpu, .task = task};
	struct sim_cpu *cpu;

	/* A task that is about to migrate is still running on its old CPU. */
	if (task->state == SIM_RUNNING && sim->cpus[task->last_cpu].current == task)
		call.cpu = task->last_cpu;
	cpu = &sim->cpus[call.cpu];
	if (cpu->current != task) {
		call.out = cpu->current;
		sim_switch(sim, call.cpu, task, !call.out->is_idle);
	}
	cpu->busy++;
	sim->cpu = call.cpu;
	sim_update_counts(sim, cpu);
	return call;
}

void sim_call_end(struct tally_sim *sim, struct sim_call *call)
{
	struct sim_cpu *cpu = &sim->cpus[call->cpu];

	if (cpu->off)
		sim_violate(sim, "a call returned with interrupts off");
	if (sim->locked)
		sim_violate(sim, "a call returned with a lock held");
	cpu->off = 0;
	sim->locked = false;
	cpu->busy--;
	if (call->out)
		sim_switch(sim, call->cpu, call->out, call->task->state == SIM_READY);
	sim_schedule(sim, call->cpu);
	sim->cpu = call->before;
}
