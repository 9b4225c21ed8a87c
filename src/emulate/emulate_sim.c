/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The scripted machine: the core on hosts/sim, with a task for each thread in the served processes.
 * Time passes only as the script specifies.
 */
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arith.h"
#include "emulate/emulate_sim_private.h"
#include "hosts/sim/sim_files.h"
#include "hosts/sim/sim_text.h"
#include "hosts/sim/sim_task.h"
#include "tally/abi.h"

enum { RING_PAGES = 65536, PAGE = 4096 };

/* ---- scripted failures ------------------------------------------------------- */

/* Count a call. Returns 0, or the error that the script specifies for it. */
static int call_counted(struct emulated_machine *machine, enum tally_script_call call)
{
	uint64_t nth = ++machine->calls[call];

	for (uint32_t i = 0; i < machine->script->nr_failures; i++) {
		const struct tally_script_failure *failure = &machine->script->failures[i];

		if (failure->call == call && (!failure->nth || failure->nth == nth))
			return -failure->error;
	}
	return 0;
}

/* Begin a call: add the CPU time that the script specifies between two calls, and return the error
 * if the script makes this call fail. */
static int call_begin(struct emulated_machine *machine, enum tally_script_call call,
		      const struct tally_emulate_caller *caller, struct emulated_task **ret_task)
{
	struct emulated_task *task = emulated_task_of(machine, caller);

	if (!task)
		return -ENOMEM;
	emulated_task_spend(machine, task, machine->script->call_ns);
	*ret_task = task;
	return call_counted(machine, call);
}

/* Let time pass when a caller waits, as in any other call. Otherwise, time might never pass. */
static void sim_caller_waits(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_task *task = emulated_task_of(machine, caller);

	if (task)
		emulated_task_spend(machine, task, machine->script->call_ns);
}

/* ---- calls of the backend ------------------------------------------------------- */

static const struct tally_script_event *scripted_of(const struct tally_script *script,
						    const struct perf_event_attr *attr)
{
	for (uint32_t i = 0; i < script->nr_events; i++)
		if (script->events[i].type == attr->type &&
		    script->events[i].config == attr->config)
			return &script->events[i];
	return NULL;
}

/* Open the event as the caller's task, and move the descriptor to the keeper. Returns the keeper's
 * descriptor, or -errno. */
static int open_as(struct emulated_machine *machine, struct emulated_task *task,
		   const struct tally_emulate_open *open, struct emulated_event *event)
{
	const struct emulated_event *group = open->group;
	struct tally_sim *sim = machine->sim;
	int no_group_fd = open->is_group_bad ? INT_MAX : -1;
	int group_fd = group ? tally_sim_send_fd(sim, machine->keeper, group->fd, task->task)
			     : no_group_fd;
	int fd, kept;

	if (group && group_fd < 0)
		return group_fd;
	fd = tally_sim_open(sim, task->task, open->attr, open->pid, open->cpu, group_fd,
			    open->flags & ~(unsigned long)PERF_FLAG_FD_CLOEXEC);
	if (group)
		tally_sim_close(sim, task->task, group_fd);
	if (fd < 0)
		return fd;
	tally_sim_set_owner(sim, task->task, fd, event);
	kept = tally_sim_send_fd(sim, task->task, fd, machine->keeper);
	tally_sim_close(sim, task->task, fd);
	return kept;
}

static int sim_event_open(struct tally_emulate_backend *backend,
			  const struct tally_emulate_caller *caller,
			  const struct tally_emulate_open *open, void **ret_event)
{
	struct emulated_machine *machine = machine_of(backend);
	const struct perf_event_attr *attr;
	struct emulated_event *event;
	struct emulated_task *task;
	int ret = call_begin(machine, TALLY_SCRIPT_OPEN, caller, &task);

	if (ret)
		return ret;
	event = calloc(1, sizeof(*event));
	if (!event)
		return -ENOMEM;
	*event = (struct emulated_event){.machine = machine, .wakes = open->wakes};
	event->fd = open_as(machine, task, open, event);
	if (event->fd < 0) {
		ret = event->fd;
		free(event);
		return ret;
	}
	attr = tally_core_event_attr(tally_sim_event(machine->sim, machine->keeper, event->fd));
	event->read_format = attr->read_format;
	event->scripted = scripted_of(machine->script, attr);
	event->leader = open->group ? ((struct emulated_event *)open->group)->leader : event;
	tally_list_insert(&machine->opened, &event->link);
	*ret_event = event;
	return 0;
}

static void sim_event_close(struct tally_emulate_backend *backend, void *event)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_event *own = event;

	tally_list_remove(&own->link);
	tally_list_for_each (link, &machine->opened) {
		struct emulated_event *other =
			tally_container_of(link, struct emulated_event, link);

		if (other->leader == own)
			other->leader = other;
	}
	tally_sim_set_owner(machine->sim, machine->keeper, own->fd, NULL);
	tally_sim_close(machine->sim, machine->keeper, own->fd);
	free(own);
}

static int64_t sim_event_read(struct tally_emulate_backend *backend,
			      const struct tally_emulate_caller *caller, void *event, void *to,
			      size_t len)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_event *own = event;
	struct emulated_task *task;
	int64_t ret = call_begin(machine, TALLY_SCRIPT_READ, caller, &task);

	if (ret)
		return ret;
	ret = tally_sim_read(machine->sim, machine->keeper, own->fd, to, len);
	if (ret > 0)
		emulated_read_scripted(machine, own, to, (size_t)ret);
	return ret;
}

static int sim_event_control(struct tally_emulate_backend *backend,
			     const struct tally_emulate_caller *caller, void *event,
			     uint32_t request, uintptr_t argument, void *other)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_event *own = event, *target = other;
	bool is_output = request == (uint32_t)PERF_EVENT_IOC_SET_OUTPUT;
	struct emulated_task *task;
	int ret = call_begin(machine, TALLY_SCRIPT_IOCTL, caller, &task);

	if (ret)
		return ret;
	if (is_output)
		argument = target ? (uintptr_t)target->fd : (uintptr_t)-1;
	ret = tally_sim_ioctl(machine->sim, machine->keeper, own->fd, request, argument);
	if (!ret && is_output)
		own->has_ring = target;
	return ret;
}

static int sim_ring_map(struct tally_emulate_backend *backend,
			const struct tally_emulate_caller *caller, void *event, size_t len,
			uint64_t offset, bool writable, struct tally_emulate_map *ret_map)
{
	struct emulated_machine *machine = machine_of(backend);
	struct emulated_event *own = event;
	struct emulated_task *task;
	uint64_t at = 0;
	void *memory;
	int ret = call_begin(machine, TALLY_SCRIPT_MMAP, caller, &task), fd = -1;

	if (!ret && offset % PAGE)
		ret = -EINVAL;
	if (!ret)
		ret = tally_sim_mmap(machine->sim, machine->keeper, own->fd, len, offset / PAGE,
				     writable, &memory);
	if (ret)
		return ret;
	(void)tally_sim_mapping_file(machine->sim, machine->keeper, memory, &fd, &at);
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0) {
		ret = -errno;
		tally_sim_munmap(machine->sim, machine->keeper, memory);
		return ret;
	}
	own->has_ring = true;
	*ret_map = (struct tally_emulate_map){fd, at, memory};
	return 0;
}

static void sim_ring_unmap(struct tally_emulate_backend *backend, void *event, void *mapping)
{
	struct emulated_machine *machine = machine_of(backend);

	tally_sim_munmap(machine->sim, machine->keeper, mapping);
}

/* ---- wakeups ---------------------------------------------------------------------- */

/* Report an exhausted REFRESH count as a wakeup rather than a hangup, because the event may be
 * enabled again. */
static void sim_notified(void *owner, unsigned events)
{
	struct emulated_event *event = owner;

	event->machine->backend.wake(event->wakes, POLLIN);
}

void emulated_hang_up(struct emulated_machine *machine)
{
	tally_list_for_each (link, &machine->opened) {
		struct emulated_event *event =
			tally_container_of(link, struct emulated_event, link);
		unsigned now = 0;

		if (event->has_ring && !event->hung)
			now = tally_sim_poll(machine->sim, machine->keeper, event->fd);
		event->hung |= (now & TALLY_CORE_POLLHUP) != 0;
		if (now)
			machine->backend.wake(event->wakes, (short)now);
	}
}

/* ---- creation and destruction ------------------------------------------------------- */

static void pmu_describe(struct emulated_machine *machine, struct tally_sim_pmu *pmu)
{
	const struct tally_script *script = machine->script;

	*pmu = (struct tally_sim_pmu){
		.name = script->pmu,
		.type = PERF_TYPE_RAW,
		.core = true,
		.nr_generic = script->counters,
		.width = script->width,
		.caps = script->no_interrupt ? TALLY_PMU_NO_INTERRUPT : 0,
		.max_precise = 3,
		.events = machine->events,
		.nr_events = script->nr_events,
	};
	for (uint32_t i = 0; i < script->nr_events; i++) {
		const struct tally_script_event *event = &script->events[i];

		machine->events[i] =
			(struct tally_sim_event){event->type, event->config, (uint8_t)i};
		machine->rates.per_ms[i] = (uint32_t)(event->per_s / 1000);
		machine->rates.per_s[i] = (uint16_t)(event->per_s % 1000);
		pmu->constraint[i] = event->counters;
	}
}

static int machine_create(struct emulated_machine *machine)
{
	static const struct tally_sim_spawn keeper = {.memlock = UINT64_MAX, .caps = UINT64_MAX};
	const struct tally_script *script = machine->script;
	long real = sysconf(_SC_NPROCESSORS_CONF);
	struct tally_core_settings settings;
	struct tally_sim_config config = {.settings = &settings, .nr_pages = RING_PAGES};
	struct tally_sim_pmu pmu;
	int ret;

	tally_core_settings_init(&settings);
	settings.paranoid = script->paranoid;
	settings.contiguous = true;
	pmu_describe(machine, &pmu);
	config.pmus = &pmu;
	config.nr_pmus = *script->pmu != '\0';
	config.notified = sim_notified;
	machine->nr_cpus =
		script->cpus ? script->cpus : (uint32_t)TALLY_MIN(TALLY_MAX(real, 1), SIM_MAX_CPUS);
	config.nr_cpus = machine->nr_cpus;
	ret = tally_sim_create(&config, &machine->sim);
	if (ret)
		return ret;
	machine->keeper = tally_sim_task_new(machine->sim, &keeper);
	machine->nr_tasks = 1;
	return machine->keeper ? 0 : -ENOMEM;
}

int tally_emulate_sim_new(const struct tally_script *script,
			  struct tally_emulate_backend **ret_backend)
{
	struct emulated_machine *machine = calloc(1, sizeof(*machine));
	int ret;

	if (!machine)
		return -ENOMEM;
	machine->backend = (struct tally_emulate_backend){
		.name = "sim",
		.event_open = sim_event_open,
		.event_close = sim_event_close,
		.event_read = sim_event_read,
		.event_control = sim_event_control,
		.ring_map = sim_ring_map,
		.ring_unmap = sim_ring_unmap,
		.caller_waits = sim_caller_waits,
		.process_fork = emulated_fork,
		.process_exec = emulated_exec,
		.process_end = emulated_end,
		.process_exit = emulated_exit,
		.wait_fd = -1,
	};
	machine->script = script;
	for (uint32_t i = 0; i < script->nr_places; i++)
		machine->weights += script->places[i].weight;
	tally_list_init(&machine->opened);
	ret = machine_create(machine);
	if (ret)
		tally_emulate_sim_free(&machine->backend);
	else
		*ret_backend = &machine->backend;
	return ret;
}

void tally_emulate_sim_free(struct tally_emulate_backend *backend)
{
	struct emulated_machine *machine = backend ? machine_of(backend) : NULL;

	if (!machine)
		return;
	tally_sim_destroy(machine->sim);
	emulated_tasks_free(machine);
	free(machine);
}
