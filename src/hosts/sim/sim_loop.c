/* SPDX-License-Identifier: BSD-2-Clause */
/* Main loop, which advances the time to the next event that is due. */
#include "base/arith.h"
#include "hosts/sim/sim_entry.h"
#include "hosts/sim/hardware.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/schedule.h"
#include "hosts/sim/sim_private.h"
#include "hosts/sim/sim_task.h"

/* ---- overflow interrupts ------------------------------------------------------- */

static void interrupts_deliver(struct tally_sim *sim, uint32_t number)
{
	struct sim_cpu *cpu = &sim->cpus[number];
	uint32_t before = sim->cpu;
	struct tally_core_sample_data sample_data;

	sim_update_counts(sim, cpu);
	for (uint32_t i = 0; i < sim->config.nr_pmus; i++) {
		struct sim_bank *bank = &cpu->banks[i];

		if (!sim_bank_interrupts(sim, bank) || (bank->maskable && cpu->off))
			continue;
		sample_data = sim_sample_data(cpu);
		sim->cpu = number;
		cpu->in_interrupt = true;
		cpu->off++;
		sim_pmu_interrupt(&sim->pmus[i], &sample_data);
		cpu->off--;
		cpu->in_interrupt = false;
		sim->cpu = before;
	}
}

/* Let time pass while the core is running. During this time, interrupts are delivered on all CPUs.
 * All other events that are due wait until the core is done, as they would for a lock. */
void sim_pass_time(struct tally_sim *sim)
{
	if (!sim->config.op_cost_ns || sim->passing || sim_this(sim)->in_interrupt)
		return;
	sim->passing = true;
	sim->now += sim->config.op_cost_ns;
	for (uint32_t i = 0; i < sim->config.nr_cpus; i++) {
		sim_update_counts(sim, &sim->cpus[i]);
		interrupts_deliver(sim, i);
		sim->cpus[i].overflow_known = false;
	}
	sim->passing = false;
}

/* ---- what is due next ---------------------------------------------------------- */

static uint64_t segment_end(const struct sim_cpu *cpu)
{
	const struct tally_sim_task *task = cpu->current;

	if (task->is_idle)
		return SIM_NEVER;
	return task->done_ns >= task->segment->ns
		       ? cpu->settled
		       : cpu->settled + (task->segment->ns - task->done_ns);
}

static uint64_t cpu_next(struct tally_sim *sim, struct sim_cpu *cpu)
{
	uint64_t next = sim_cpu_overflow_at(sim, cpu);

	if (!cpu->online)
		return SIM_NEVER;
	next = TALLY_MIN(next, cpu->timer_at);
	next = TALLY_MIN(next, cpu->tick_at);
	next = TALLY_MIN(next, segment_end(cpu));
	if (!tally_list_empty(&cpu->queue))
		next = TALLY_MIN(next, cpu->quantum_at);
	return next;
}

static uint64_t next_time(struct tally_sim *sim)
{
	uint64_t next = SIM_NEVER;

	for (uint32_t i = 0; i < sim->config.nr_cpus; i++)
		next = TALLY_MIN(next, cpu_next(sim, &sim->cpus[i]));
	tally_list_for_each (link, &sim->sleepers) {
		struct tally_sim_task *task =
			tally_container_of(link, struct tally_sim_task, queued);

		next = TALLY_MIN(next, task->wake_at);
	}
	return TALLY_MAX(next, sim->now);
}

/* ---- what is due now ------------------------------------------------------------- */

static void run_timer(struct tally_sim *sim, uint32_t number)
{
	struct sim_cpu *cpu = &sim->cpus[number];
	struct tally_core_sample_data sample_data = sim_sample_data(cpu);

	cpu->timer_at = SIM_NEVER;
	sim_hook_begin(sim, number);
	tally_core_timer(sim->core, &sample_data);
	sim_hook_end(sim);
}

static void run_tick(struct tally_sim *sim, uint32_t number)
{
	struct sim_cpu *cpu = &sim->cpus[number];
	struct tally_core_sample_data sample_data = sim_sample_data(cpu);

	cpu->tick_at += tally_core_settings(sim->core)->tick_ns;
	sim_hook_begin(sim, number);
	tally_core_tick(sim->core, &sample_data);
	sim_hook_end(sim);
}

static void run_wakeups(struct tally_sim *sim)
{
	struct tally_list *link = sim->sleepers.next, *next;

	for (; link != &sim->sleepers; link = next) {
		struct tally_sim_task *task =
			tally_container_of(link, struct tally_sim_task, queued);

		next = link->next;
		if (task->wake_at <= sim->now)
			sim_wake(sim, task);
	}
}

static void run_cpu(struct tally_sim *sim, uint32_t number)
{
	struct sim_cpu *cpu = &sim->cpus[number];

	if (!cpu->online)
		return;
	if (sim_cpu_overflow_at(sim, cpu) <= sim->now) {
		cpu->overflow_known = false;
		interrupts_deliver(sim, number);
	}
	sim->cpu = number;
	sim_run_deferred(sim);
	if (cpu->timer_at <= sim->now)
		run_timer(sim, number);
	if (cpu->tick_at <= sim->now)
		run_tick(sim, number);
	sim_update_counts(sim, cpu);
	if (segment_end(cpu) <= sim->now)
		sim_advance(sim, cpu->current);
	if (cpu->quantum_at <= sim->now)
		sim_quantum_end(sim, number);
}

static void run_until(struct tally_sim *sim, uint64_t until)
{
	uint64_t next;

	while ((next = next_time(sim)) <= until) {
		sim->now = next;
		run_wakeups(sim);
		for (uint32_t i = 0; i < sim->config.nr_cpus; i++)
			run_cpu(sim, i);
	}
	sim->now = TALLY_MAX(sim->now, until);
	for (uint32_t i = 0; i < sim->config.nr_cpus; i++)
		sim_update_counts(sim, &sim->cpus[i]);
}

void tally_sim_run(struct tally_sim *sim, uint64_t ns)
{
	if (sim->running) {
		sim_violate(sim, "tally_sim_run() from within a script");
		return;
	}
	sim->running = true;
	run_until(sim, sim->now + ns);
	sim->running = false;
}

bool tally_sim_run_until_exit(struct tally_sim *sim, const struct tally_sim_task *task,
			      uint64_t limit_ns)
{
	uint64_t until = sim->now + limit_ns;

	while (!tally_sim_task_exited(task) && sim->now < until) {
		uint64_t next = TALLY_MAX(next_time(sim), sim->now + 1);

		tally_sim_run(sim, TALLY_MIN(next, until) - sim->now);
	}
	return tally_sim_task_exited(task);
}
