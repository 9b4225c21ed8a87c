/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPUs that switch tasks, tick, take overflow interrupts and make system calls, all at once, while
 * rings are drained from outside. Run under TSan: it has the last word; what is checked here is
 * that every record is whole and that nothing is left. Usage: stress [SECONDS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/threads/machine.h"

static struct machine machine;
static bool stop;
static uint64_t records, bad, opened, reads;

/* A descriptor's mapping; the lock keeps it while it is drained. */
static struct slot {
	pthread_mutex_t lock;
	struct tally_core_buffer *buffer;
} slots[MACHINE_FILES];

/* ---- system calls: the table of files is the machine's, one caller at a time for each file ----
 */

static void close_file(size_t fd)
{
	struct tally_core_event *event = machine.files[fd];

	machine_lock(&slots[fd].lock);
	if (slots[fd].buffer)
		tally_core_munmap(machine.core, event, slots[fd].buffer);
	slots[fd].buffer = NULL;
	pthread_mutex_unlock(&slots[fd].lock);
	machine.files[fd] = NULL;
	tally_core_close(machine.core, event);
}

static void open_file(size_t fd, struct tally_core_task *current)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .sample_period = 0};
	bool of_task = machine_random(3);
	int32_t pid = of_task ? (int32_t)(1 + machine_random(MACHINE_TASKS)) : -1;
	int32_t cpu = !of_task || !machine_random(3) ? (int32_t)machine_random(MACHINE_CPUS) : -1;
	int group = machine_random(3) ? -1 : (int)machine_random(MACHINE_FILES);
	struct tally_core_event *event;

	attr.type = machine_random(4) ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr.config = attr.type == PERF_TYPE_SOFTWARE ? PERF_COUNT_SW_PAGE_FAULTS : 0;
	attr.inherit = of_task && cpu >= 0 && !machine_random(2);
	attr.pinned = !machine_random(8);
	attr.disabled = !machine_random(4);
	attr.comm = attr.task = attr.context_switch = 1;
	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	attr.read_format = PERF_FORMAT_GROUP * machine_random(2) | PERF_FORMAT_ID;
	if (machine_random(2))
		attr.sample_period = 1000 + machine_random(20000);
	attr.wakeup_events = 1 + (uint32_t)machine_random(10);
	if (tally_core_open(machine.core, current, &attr, pid, cpu, group, 0, &event, NULL))
		return;
	machine.files[fd] = event;
	opened++;
}

static void map_file(size_t fd, struct tally_core_task *current)
{
	struct slot *slot = &slots[fd];
	struct tally_core_buffer *buffer = NULL;

	machine_lock(&slot->lock);
	if (slot->buffer)
		tally_core_munmap(machine.core, machine.files[fd], slot->buffer);
	else
		tally_core_mmap(machine.core, current, machine.files[fd], 9 * 4096, 0, true,
				&buffer, NULL);
	slot->buffer = buffer;
	pthread_mutex_unlock(&slot->lock);
}

static void control_file(size_t fd, struct tally_core_task *current)
{
	static const unsigned long requests[] = {PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
						 PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_REFRESH,
						 PERF_EVENT_IOC_SET_OUTPUT};
	unsigned long request = requests[machine_random(5)];
	uintptr_t arg = machine_random(2);

	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		arg = machine_random(MACHINE_FILES);
	tally_core_ioctl(machine.core, current, machine.files[fd], request, arg, NULL);
}

static void read_file(size_t fd)
{
	uint64_t words[3 * MACHINE_FILES + 3];

	if (tally_core_read(machine.core, machine.files[fd], words, sizeof(words)) >= 0)
		reads++;
}

/* Files are closed while nobody else uses the table: it takes the machine's lock, as a kernel's
 * descriptors take a reference. */
static void system_call(struct tally_core_task *current)
{
	size_t fd = machine_random(MACHINE_FILES);

	machine_lock(&machine.files_lock);
	if (!machine.files[fd])
		open_file(fd, current);
	else if (!machine_random(6))
		close_file(fd);
	else if (!machine_random(4))
		map_file(fd, current);
	else if (machine_random(2))
		control_file(fd, current);
	else
		read_file(fd);
	pthread_mutex_unlock(&machine.files_lock);
}

/* ---- a CPU ------------------------------------------------------------------------------ */

static void switch_task(struct machine_cpu *cpu)
{
	struct machine_task *next = &machine.tasks[machine_random(MACHINE_TASKS)],
			    *prev = cpu->task;
	uintptr_t flags = machine_irq_save(&machine);

	pthread_mutex_lock(&machine.sched);
	if (!next->taken) {
		next->taken = true;
		next->cpu = (int32_t)cpu->number;
		tally_core_switch(machine.core, prev ? &prev->perf : NULL, &next->perf, true);
		if (prev) {
			prev->taken = false;
			prev->cpu = -1;
		}
		cpu->task = next;
		cpu->switches++;
	}
	pthread_mutex_unlock(&machine.sched);
	machine_irq_restore(&machine, flags);
}

static void hooks(struct machine_cpu *cpu)
{
	const struct tally_core_moment moment = {.ip = 0x2000, .mode = PERF_RECORD_MISC_USER};
	uintptr_t flags = machine_irq_save(&machine);

	tally_core_software(machine.core, PERF_COUNT_SW_PAGE_FAULTS, 1, &moment);
	if (!machine_random(4))
		tally_core_tick(machine.core, &moment);
	if (cpu->task && !machine_random(8))
		tally_core_comm(machine.core, &cpu->task->perf, "stress", false);
	machine_irq_restore(&machine, flags);
}

static void task_init(struct machine_task *task)
{
	int32_t tid = (int32_t)(task - machine.tasks) + 1;

	tally_core_task_init(&task->perf, tid, tid);
	task->perf.user = &task->user;
	task->perf.space = &task->space;
	task->cpu = -1;
}

/* A task that does not run ends, and another takes its place: a child of the one that runs here. */
static void replace_task(struct machine_cpu *cpu)
{
	struct machine_task *other = &machine.tasks[machine_random(MACHINE_TASKS)];

	machine_lock(&machine.files_lock);
	pthread_mutex_lock(&machine.sched);
	if (other->taken)
		other = NULL;
	else
		other->taken = true;
	pthread_mutex_unlock(&machine.sched);
	if (other) {
		tally_core_exit(machine.core, &other->perf);
		task_init(other);
		tally_core_fork(machine.core, &cpu->task->perf, &other->perf, true);
		pthread_mutex_lock(&machine.sched);
		other->taken = false;
		pthread_mutex_unlock(&machine.sched);
	}
	pthread_mutex_unlock(&machine.files_lock);
}

static void leave(struct machine_cpu *cpu)
{
	uintptr_t flags = machine_irq_save(&machine);

	pthread_mutex_lock(&machine.sched);
	if (cpu->task) {
		tally_core_switch(machine.core, &cpu->task->perf, NULL, false);
		cpu->task->cpu = -1;
	}
	pthread_mutex_unlock(&machine.sched);
	machine_irq_restore(&machine, flags);
}

static uint32_t up, finished, done;

static void wait_for(uint32_t *what, uint32_t nr)
{
	while (__atomic_load_n(what, __ATOMIC_ACQUIRE) < nr)
		machine_yield();
}

static void end_all(void)
{
	for (size_t fd = 0; fd < MACHINE_FILES; fd++) {
		if (machine.files[fd])
			close_file(fd);
	}
	for (int i = 0; i < MACHINE_TASKS; i++)
		tally_core_exit(machine.core, &machine.tasks[i].perf);
}

static void *run_cpu(void *arg)
{
	struct machine_cpu *cpu = arg;

	machine_boot(cpu);
	__atomic_fetch_add(&up, 1, __ATOMIC_ACQ_REL);
	wait_for(&up, MACHINE_CPUS);
	tally_core_cpu_online(machine.core, cpu->number);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		switch_task(cpu);
		for (uint64_t i = machine_random(8); i-- && cpu->task;) {
			hooks(cpu);
			system_call(&cpu->task->perf);
		}
		if (cpu->task && !machine_random(16))
			replace_task(cpu);
	}
	leave(cpu);
	__atomic_fetch_add(&finished, 1, __ATOMIC_ACQ_REL);
	if (cpu->number == 0) {
		wait_for(&finished, MACHINE_CPUS);
		end_all();
		__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	}
	wait_for(&done, 1); /* the others may still call */
	return NULL;
}

/* ---- outside ---------------------------------------------------------------------------- */

static bool drain(struct tally_core_buffer *buffer)
{
	struct perf_event_mmap_page *page = tally_core_buffer_page(buffer, 0);
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), at = page->data_tail;

	while (at != head) {
		const uint8_t *data = tally_core_buffer_page(buffer, 1);
		struct perf_event_header header;

		memcpy(&header, data + at % page->data_size, sizeof(header));
		if (header.size < 8 || header.size % 8 || header.size > head - at || !header.type ||
		    header.type >= PERF_RECORD_MAX)
			return false;
		at += header.size;
		records++;
	}
	__atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
	return true;
}

/* Drain every ring and send interrupts until the time is over. */
static void disturb(unsigned seconds)
{
	time_t end = time(NULL) + (time_t)seconds;
	uint64_t turn = 0;

	wait_for(&up, MACHINE_CPUS);
	while (time(NULL) < end) {
		struct slot *slot = &slots[turn++ % MACHINE_FILES];

		pthread_mutex_lock(&slot->lock);
		if (slot->buffer && !drain(slot->buffer))
			bad++;
		pthread_mutex_unlock(&slot->lock);
		machine_kick(&machine.cpus[turn % MACHINE_CPUS]);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
}

static int setup(uint64_t seed)
{
	struct tally_core_settings settings;
	int ret;

	pthread_mutex_init(&machine.config, NULL);
	pthread_mutex_init(&machine.sched, NULL);
	pthread_mutex_init(&machine.files_lock, NULL);
	for (int i = 0; i < MACHINE_FILES; i++)
		pthread_mutex_init(&slots[i].lock, NULL);
	tally_core_settings_init(&settings);
	settings.record_max = 2048;
	ret = tally_core_create(&machine_ops, &machine, MACHINE_CPUS, &settings, &machine.core);
	if (ret)
		return ret;
	machine_pmu_init(&machine);
	ret = tally_core_pmu_register(machine.core, &machine.pmu);
	for (int i = 0; i < MACHINE_TASKS; i++)
		task_init(&machine.tasks[i]);
	for (uint32_t i = 0; i < MACHINE_CPUS; i++) {
		struct machine_cpu *cpu = &machine.cpus[i];

		cpu->machine = &machine;
		cpu->number = i;
		cpu->random = (seed + i + 1) * 0x9e3779b97f4a7c15u;
	}
	return ret;
}

int main(int argc, char **argv)
{
	unsigned seconds = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	uint64_t switches = 0, overflows = 0, calls = 0;
	int ret = setup(argc > 2 ? strtoull(argv[2], NULL, 0) : 1);

	if (ret)
		return 1;
	for (int i = 0; i < MACHINE_CPUS; i++)
		pthread_create(&machine.cpus[i].thread, NULL, run_cpu, &machine.cpus[i]);
	disturb(seconds);
	for (int i = 0; i < MACHINE_CPUS; i++) {
		pthread_join(machine.cpus[i].thread, NULL);
		switches += machine.cpus[i].switches;
		overflows += machine.cpus[i].overflows;
		calls += machine.cpus[i].calls;
	}
	tally_core_destroy(machine.core);
	printf("# %u s: %llu switches, %llu overflows, %llu calls, %llu opened, %llu read, %llu "
	       "records\n",
	       seconds, (unsigned long long)switches, (unsigned long long)overflows,
	       (unsigned long long)calls, (unsigned long long)opened, (unsigned long long)reads,
	       (unsigned long long)records);
	if (bad || !switches || !overflows || !records)
		printf("# %llu rings with bad records\n", (unsigned long long)bad);
	return bad || !switches || !overflows || !records;
}
