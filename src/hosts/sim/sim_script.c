/* SPDX-License-Identifier: BSD-2-Clause */
/* Implementation of the steps in scripts. */
#include <errno.h>

#include "base/arith.h"
#include "hosts/sim/sim_entry.h"
#include "hosts/sim/hardware.h"
#include "hosts/sim/schedule.h"
#include "hosts/sim/sim_script.h"
#include "hosts/sim/sim_private.h"

/* A script is considered stuck after this many consecutive steps that take no time. */
enum { MAX_STEPS = 1000000 };

static int step_exit(struct tally_sim *sim, struct tally_sim_task *task,
		     const struct tally_sim_step *step)
{
	sim_exit(sim, task);
	return 0;
}

static int step_run(struct tally_sim *sim, struct tally_sim_task *task,
		    const struct tally_sim_step *step)
{
	task->segment = &step->run;
	task->done_ns = 0;
	if (step->run.mode == SIM_USER)
		task->user_segment = &step->run;
	sim_this(sim)->overflow_known = false;
	return 0;
}

static int step_loop(struct tally_sim *sim, struct tally_sim_task *task,
		     const struct tally_sim_step *step)
{
	if (task->nr_loops == SIM_MAX_LOOPS)
		return -EINVAL;
	task->loops[task->nr_loops++] = (struct sim_loop){step + 1, step->times};
	return 0;
}

static int step_end_loop(struct tally_sim *sim, struct tally_sim_task *task,
			 const struct tally_sim_step *step)
{
	struct sim_loop *loop;

	if (!task->nr_loops)
		return -EINVAL;
	loop = &task->loops[task->nr_loops - 1];
	if (loop->left == 1) {
		task->nr_loops--;
		return 0;
	}
	loop->left -= !!loop->left;
	task->next = loop->first;
	return 0;
}

static int step_sleep(struct tally_sim *sim, struct tally_sim_task *task,
		      const struct tally_sim_step *step)
{
	sim_sleep(sim, task, sim->now + step->ns);
	return 0;
}

static int step_yield(struct tally_sim *sim, struct tally_sim_task *task,
		      const struct tally_sim_step *step)
{
	sim_this(sim)->yielded = true;
	return 0;
}

static int step_exec(struct tally_sim *sim, struct tally_sim_task *task,
		     const struct tally_sim_step *step)
{
	sim_files_close(sim, task, true);
	task->process->secret |= step->exec.privileged;
	tally_core_exec(sim->core, &task->perf, step->exec.privileged);
	if (!step->exec.comm)
		return 0;
	sim_hook_begin(sim, sim->cpu);
	tally_core_comm(sim->core, &task->perf, step->exec.comm, true);
	sim_hook_end(sim);
	return 0;
}

static int step_comm(struct tally_sim *sim, struct tally_sim_task *task,
		     const struct tally_sim_step *step)
{
	sim_hook_begin(sim, sim->cpu);
	tally_core_comm(sim->core, &task->perf, step->comm, false);
	sim_hook_end(sim);
	return 0;
}

static int step_map(struct tally_sim *sim, struct tally_sim_task *task,
		    const struct tally_sim_step *step)
{
	sim_hook_begin(sim, sim->cpu);
	tally_core_mapped(sim->core, &task->perf, step->mapping, step->op == SIM_OP_UNMAP);
	sim_hook_end(sim);
	return 0;
}

static int step_namespaces(struct tally_sim *sim, struct tally_sim_task *task,
			   const struct tally_sim_step *step)
{
	sim_hook_begin(sim, sim->cpu);
	tally_core_namespaces(sim->core, &task->perf, step->links, 7);
	sim_hook_end(sim);
	return 0;
}

static int step_software(struct tally_sim *sim, struct tally_sim_task *task,
			 const struct tally_sim_step *step)
{
	struct tally_core_sample_data sample_data = sim_sample_data(sim_this(sim));

	sample_data.ip = step->software.ip ? step->software.ip : sample_data.ip;
	sample_data.addr = step->software.addr;
	sample_data.mode = sim_misc(step->software.mode);
	sim_count(sim, task, sim->cpu, step->software.mode, SIM_SW + step->software.id,
		  step->software.nr);
	sim_hook_begin(sim, sim->cpu);
	tally_core_software(sim->core, step->software.id, step->software.nr, &sample_data);
	sim_hook_end(sim);
	return 0;
}

static int step_hit(struct tally_sim *sim, struct tally_sim_task *task,
		    const struct tally_sim_step *step)
{
	struct tally_core_sample_data sample_data = sim_sample_data(sim_this(sim));

	sample_data.mode = PERF_RECORD_MISC_KERNEL;
	sim_hook_begin(sim, sim->cpu);
	tally_core_tracepoint_hit(sim->core, step->hit.tracepoint, step->hit.raw, step->hit.len,
				  &sample_data);
	sim_hook_end(sim);
	return 0;
}

static int step_access(struct tally_sim *sim, struct tally_sim_task *task,
		       const struct tally_sim_step *step)
{
	sim_access(sim, &step->access);
	return 0;
}

static int step_migrate(struct tally_sim *sim, struct tally_sim_task *task,
			const struct tally_sim_step *step)
{
	sim_migrate(sim, task, step->cpu);
	return 0;
}

static int step_priority(struct tally_sim *sim, struct tally_sim_task *task,
			 const struct tally_sim_step *step)
{
	sim_set_priority(sim, task, step->priority);
	return 0;
}

static int step_call(struct tally_sim *sim, struct tally_sim_task *task,
		     const struct tally_sim_step *step)
{
	step->call.fn(sim, task, step->call.arg);
	return 0;
}

/* Functions for the steps, indexed by enum tally_sim_op. */
static int (*const steps[])(struct tally_sim *, struct tally_sim_task *,
			    const struct tally_sim_step *) = {
	[SIM_OP_EXIT] = step_exit,         [SIM_OP_RUN] = step_run,
	[SIM_OP_LOOP] = step_loop,         [SIM_OP_END_LOOP] = step_end_loop,
	[SIM_OP_SLEEP] = step_sleep,       [SIM_OP_YIELD] = step_yield,
	[SIM_OP_FORK] = sim_fork,          [SIM_OP_EXEC] = step_exec,
	[SIM_OP_COMM] = step_comm,         [SIM_OP_MAP] = step_map,
	[SIM_OP_UNMAP] = step_map,         [SIM_OP_NAMESPACES] = step_namespaces,
	[SIM_OP_SOFTWARE] = step_software, [SIM_OP_HIT] = step_hit,
	[SIM_OP_ACCESS] = step_access,     [SIM_OP_MIGRATE] = step_migrate,
	[SIM_OP_PRIORITY] = step_priority, [SIM_OP_CALL] = step_call,
};

/* Put a task with an invalid script to sleep forever. */
static void task_fail(struct tally_sim *sim, struct tally_sim_task *task, const char *why)
{
	sim_violate(sim, why);
	sim_sleep(sim, task, SIM_NEVER);
}

void sim_advance(struct tally_sim *sim, struct tally_sim_task *task)
{
	uint32_t number = task->last_cpu;

	for (uint32_t i = 0; task->done_ns >= task->segment->ns; i++) {
		struct sim_call call = sim_call_begin(sim, task);
		const struct tally_sim_step *step = task->next++;
		int ret = steps[step->op](sim, task, step);

		if (i == MAX_STEPS)
			task_fail(sim, task,
				  "a script takes too many steps without advancing time");
		if (ret == -EINVAL)
			task_fail(sim, task, "script loops are nested too deeply or unbalanced");
		sim_call_end(sim, &call);
		if (task->state != SIM_RUNNING || sim->cpus[number].current != task)
			break;
	}
}

int tally_sim_execute(struct tally_sim *sim, struct tally_sim_task *task,
		      const struct tally_sim_step *step)
{
	bool moves = step->op == SIM_OP_MIGRATE || step->op == SIM_OP_PRIORITY;
	struct sim_call call;
	int ret;

	if (task->state == SIM_EXITED)
		return -ESRCH;
	if (moves)
		return steps[step->op](sim, task, step);
	call = sim_call_begin(sim, task);
	ret = steps[step->op](sim, task, step);
	sim_call_end(sim, &call);
	return ret;
}

void tally_sim_wake(struct tally_sim *sim, struct tally_sim_task *task)
{
	sim_wake(sim, task);
}

void tally_sim_ksymbol(struct tally_sim *sim, uint32_t cpu, uint64_t addr, uint32_t len,
		       uint16_t type, bool gone, const char *name)
{
	sim_hook_begin(sim, cpu);
	tally_core_ksymbol(sim->core, addr, len, type, gone, name);
	sim_hook_end(sim);
}
