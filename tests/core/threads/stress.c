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

#include "core/threads/host.h"

static struct host host;
static bool stop;
static uint64_t records, bad, opened, reads;

/* A descriptor's mapping; the lock keeps it while it is drained. */
static struct slot {
	pthread_mutex_t lock;
	struct tally_core_buffer *buffer;
} slots[HOST_FILES];

/* ---- system calls: the table of files is the host's, one caller at a time for each file ----
 */

static void close_file(size_t fd)
{
	struct tally_core_event *event = host.files[fd];

	host_lock(&slots[fd].lock);
	if (slots[fd].buffer)
		tally_core_munmap(host.core, event, slots[fd].buffer);
	slots[fd].buffer = NULL;
	pthread_mutex_unlock(&slots[fd].lock);
	host.files[fd] = NULL;
	tally_core_close(host.core, event);
}

static void open_file(size_t fd, struct tally_core_task *current)
{
	struct perf_event_attr attr = {.size = sizeof(attr), .sample_period = 0};
	bool of_task = host_random(3);
	int32_t pid = of_task ? (int32_t)(1 + host_random(HOST_TASKS)) : -1;
	int32_t cpu = !of_task || !host_random(3) ? (int32_t)host_random(HOST_CPUS) : -1;
	int group = host_random(3) ? -1 : (int)host_random(HOST_FILES);
	struct tally_core_event *event;

	attr.type = host_random(4) ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr.config = attr.type == PERF_TYPE_SOFTWARE ? PERF_COUNT_SW_PAGE_FAULTS : 0;
	attr.inherit = of_task && cpu >= 0 && !host_random(2);
	attr.pinned = !host_random(8);
	attr.disabled = !host_random(4);
	attr.comm = attr.task = attr.context_switch = 1;
	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	attr.read_format = PERF_FORMAT_GROUP * host_random(2) | PERF_FORMAT_ID;
	if (host_random(2))
		attr.sample_period = 1000 + host_random(20000);
	attr.wakeup_events = 1 + (uint32_t)host_random(10);
	if (tally_core_open(host.core, current, &attr, pid, cpu, group, 0, &event, NULL))
		return;
	host.files[fd] = event;
	opened++;
}

static void map_file(size_t fd, struct tally_core_task *current)
{
	struct slot *slot = &slots[fd];
	struct tally_core_buffer *buffer = NULL;

	host_lock(&slot->lock);
	if (slot->buffer)
		tally_core_munmap(host.core, host.files[fd], slot->buffer);
	else
		tally_core_mmap(host.core, current, host.files[fd], 9 * 4096, 0, true, &buffer,
				NULL);
	slot->buffer = buffer;
	pthread_mutex_unlock(&slot->lock);
}

static void control_file(size_t fd, struct tally_core_task *current)
{
	static const unsigned long requests[] = {PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE,
						 PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_REFRESH,
						 PERF_EVENT_IOC_SET_OUTPUT};
	unsigned long request = requests[host_random(5)];
	uintptr_t arg = host_random(2);

	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		arg = host_random(HOST_FILES);
	tally_core_ioctl(host.core, current, host.files[fd], request, arg, NULL);
}

static void read_file(size_t fd)
{
	uint64_t words[3 * HOST_FILES + 3];

	if (tally_core_read(host.core, host.files[fd], words, sizeof(words)) >= 0)
		reads++;
}

/* Files are closed while nobody else uses the table: it takes the host's lock, as a kernel's
 * descriptors take a reference. */
static void system_call(struct tally_core_task *current)
{
	size_t fd = host_random(HOST_FILES);

	host_lock(&host.files_lock);
	if (!host.files[fd])
		open_file(fd, current);
	else if (!host_random(6))
		close_file(fd);
	else if (!host_random(4))
		map_file(fd, current);
	else if (host_random(2))
		control_file(fd, current);
	else
		read_file(fd);
	pthread_mutex_unlock(&host.files_lock);
}

/* ---- a CPU ------------------------------------------------------------------------------ */

static void switch_task(struct host_cpu *cpu)
{
	struct host_task *next = &host.tasks[host_random(HOST_TASKS)], *prev = cpu->task;
	uintptr_t flags = host_irq_save(&host);

	pthread_mutex_lock(&host.sched);
	if (!next->taken) {
		next->taken = true;
		next->cpu = (int32_t)cpu->number;
		tally_core_switch(host.core, prev ? &prev->perf : NULL, &next->perf, true);
		if (prev) {
			prev->taken = false;
			prev->cpu = -1;
		}
		cpu->task = next;
		cpu->switches++;
	}
	pthread_mutex_unlock(&host.sched);
	host_irq_restore(&host, flags);
}

static void hooks(struct host_cpu *cpu)
{
	const struct tally_core_sample_data sample_data = {.ip = 0x2000,
							   .mode = PERF_RECORD_MISC_USER};
	uintptr_t flags = host_irq_save(&host);

	tally_core_software(host.core, PERF_COUNT_SW_PAGE_FAULTS, 1, &sample_data);
	if (!host_random(4))
		tally_core_tick(host.core, &sample_data);
	if (cpu->task && !host_random(8))
		tally_core_comm(host.core, &cpu->task->perf, "stress", false);
	host_irq_restore(&host, flags);
}

static void task_init(struct host_task *task)
{
	int32_t tid = (int32_t)(task - host.tasks) + 1;

	tally_core_task_init(&task->perf, tid, tid);
	task->perf.user = &task->user;
	task->perf.space = &task->space;
	task->cpu = -1;
}

/* A task that does not run ends, and another takes its place: a child of the one that runs here. */
static void replace_task(struct host_cpu *cpu)
{
	struct host_task *other = &host.tasks[host_random(HOST_TASKS)];

	host_lock(&host.files_lock);
	pthread_mutex_lock(&host.sched);
	if (other->taken)
		other = NULL;
	else
		other->taken = true;
	pthread_mutex_unlock(&host.sched);
	if (other) {
		tally_core_exit(host.core, &other->perf);
		task_init(other);
		tally_core_fork(host.core, &cpu->task->perf, &other->perf, true);
		pthread_mutex_lock(&host.sched);
		other->taken = false;
		pthread_mutex_unlock(&host.sched);
	}
	pthread_mutex_unlock(&host.files_lock);
}

static void leave(struct host_cpu *cpu)
{
	uintptr_t flags = host_irq_save(&host);

	pthread_mutex_lock(&host.sched);
	if (cpu->task) {
		tally_core_switch(host.core, &cpu->task->perf, NULL, false);
		cpu->task->cpu = -1;
	}
	pthread_mutex_unlock(&host.sched);
	host_irq_restore(&host, flags);
}

static uint32_t up, finished, done;

static void wait_for(uint32_t *what, uint32_t nr)
{
	while (__atomic_load_n(what, __ATOMIC_ACQUIRE) < nr)
		host_yield();
}

static void end_all(void)
{
	for (size_t fd = 0; fd < HOST_FILES; fd++) {
		if (host.files[fd])
			close_file(fd);
	}
	for (int i = 0; i < HOST_TASKS; i++)
		tally_core_exit(host.core, &host.tasks[i].perf);
}

static void *run_cpu(void *arg)
{
	struct host_cpu *cpu = arg;

	host_boot(cpu);
	__atomic_fetch_add(&up, 1, __ATOMIC_ACQ_REL);
	wait_for(&up, HOST_CPUS);
	tally_core_cpu_online(host.core, cpu->number);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		switch_task(cpu);
		for (uint64_t i = host_random(8); i-- && cpu->task;) {
			hooks(cpu);
			system_call(&cpu->task->perf);
		}
		if (cpu->task && !host_random(16))
			replace_task(cpu);
	}
	leave(cpu);
	__atomic_fetch_add(&finished, 1, __ATOMIC_ACQ_REL);
	if (cpu->number == 0) {
		wait_for(&finished, HOST_CPUS);
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

	wait_for(&up, HOST_CPUS);
	while (time(NULL) < end) {
		struct slot *slot = &slots[turn++ % HOST_FILES];

		pthread_mutex_lock(&slot->lock);
		if (slot->buffer && !drain(slot->buffer))
			bad++;
		pthread_mutex_unlock(&slot->lock);
		host_kick(&host.cpus[turn % HOST_CPUS]);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
}

static int setup(uint64_t seed)
{
	struct tally_core_settings settings;
	int ret;

	pthread_mutex_init(&host.call, NULL);
	pthread_mutex_init(&host.sched, NULL);
	pthread_mutex_init(&host.files_lock, NULL);
	for (int i = 0; i < HOST_FILES; i++)
		pthread_mutex_init(&slots[i].lock, NULL);
	tally_core_settings_init(&settings);
	settings.record_max = 2048;
	ret = tally_core_create(&host_ops, &host, HOST_CPUS, &settings, &host.core);
	if (ret)
		return ret;
	host_pmu_init(&host);
	ret = tally_core_pmu_register(host.core, &host.pmu);
	for (int i = 0; i < HOST_TASKS; i++)
		task_init(&host.tasks[i]);
	for (uint32_t i = 0; i < HOST_CPUS; i++) {
		struct host_cpu *cpu = &host.cpus[i];

		cpu->host = &host;
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
	for (int i = 0; i < HOST_CPUS; i++)
		pthread_create(&host.cpus[i].thread, NULL, run_cpu, &host.cpus[i]);
	disturb(seconds);
	for (int i = 0; i < HOST_CPUS; i++) {
		pthread_join(host.cpus[i].thread, NULL);
		switches += host.cpus[i].switches;
		overflows += host.cpus[i].overflows;
		calls += host.cpus[i].calls;
	}
	tally_core_destroy(host.core);
	printf("# %u s: %llu switches, %llu overflows, %llu calls, %llu opened, %llu read, %llu "
	       "records\n",
	       seconds, (unsigned long long)switches, (unsigned long long)overflows,
	       (unsigned long long)calls, (unsigned long long)opened, (unsigned long long)reads,
	       (unsigned long long)records);
	if (bad || !switches || !overflows || !records)
		printf("# %llu rings with bad records\n", (unsigned long long)bad);
	return bad || !switches || !overflows || !records;
}
