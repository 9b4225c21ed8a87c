/* SPDX-License-Identifier: BSD-2-Clause */
/* Code of the core: hooks, with interrupts off on a CPU, and what is done in a task's name. */
#include "machines/sim/hardware.h"
#include "machines/sim/schedule.h"
#include "machines/sim/entry.h"
#include "machines/sim/sim_private.h"

void sim_hook_begin(struct tally_sim *sim, uint32_t cpu)
{
	sim->cpu = cpu;
	sim_settle(sim, sim_this(sim));
	if (sim_this(sim)->off++)
		sim_violate(sim, "a hook is due where interrupts are off");
}

void sim_hook_end(struct tally_sim *sim)
{
	if (--sim_this(sim)->off)
		sim_violate(sim, "a hook left interrupts in another state");
	sim_this(sim)->off = 0;
	sim_run_deferred(sim);
}

struct sim_turn sim_turn_begin(struct tally_sim *sim, struct tally_sim_task *task)
{
	struct sim_turn turn = {.before = sim->cpu, .cpu = task->cpu, .task = task};
	struct sim_cpu *cpu;

	/* One that is about to move still runs where it was. */
	if (task->state == SIM_RUNNING && sim->cpus[task->last_cpu].current == task)
		turn.cpu = task->last_cpu;
	cpu = &sim->cpus[turn.cpu];
	if (cpu->current != task) {
		turn.out = cpu->current;
		sim_switch(sim, turn.cpu, task, !turn.out->is_idle);
	}
	cpu->busy++;
	sim->cpu = turn.cpu;
	sim_settle(sim, cpu);
	return turn;
}

void sim_turn_end(struct tally_sim *sim, struct sim_turn *turn)
{
	struct sim_cpu *cpu = &sim->cpus[turn->cpu];

	if (cpu->off)
		sim_violate(sim, "a call returned with interrupts off");
	if (sim->locked)
		sim_violate(sim, "a call returned with the configuration lock held");
	cpu->off = 0;
	sim->locked = false;
	cpu->busy--;
	if (turn->out)
		sim_switch(sim, turn->cpu, turn->out, turn->task->state == SIM_READY);
	sim_schedule(sim, turn->cpu);
	sim->cpu = turn->before;
}
