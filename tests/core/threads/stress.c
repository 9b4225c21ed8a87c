/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stress test in which CPUs concurrently switch tasks, tick, take overflow interrupts and make
 * system calls, while another thread drains the rings. TSan finds data races; the program itself
 * checks that every record is complete and that nothing leaks. Usage: stress [SECONDS [SEED]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/threads/threads_host.h"

static struct host host;
static bool stop;
static uint64_t records, bad;

/* ---- system calls: several at a time, also on the same files ----------------------------- */

static bool is_closed(const struct host_file *file)
{
	bool closed;

	host_lock(&host.table);
	closed = file->closed;
	pthread_mutex_unlock(&host.table);
	return closed;
}

/* Close a descriptor. The event is closed when the last call using it returns. */
static void close_file(size_t fd)
{
	struct host_file *file = &host.files[fd];
	bool was;

	host_lock(&host.table);
	was = file->closed;
	file->closed = true;
	pthread_mutex_unlock(&host.table);
	if (was)
		return;
	host_lock(&file->lock);
	if (file->buffer)
		tally_core_munmap(host.core, file->event, file->buffer);
	file->buffer = NULL;
	pthread_mutex_unlock(&file->lock);
	host_file_put(&host, fd);
}

static bool reserve_file(size_t fd)
{
	struct host_file *file = &host.files[fd];
	bool free;

	host_lock(&host.table);
	free = !file->refs;
	if (free)
		file->refs = 1;
	pthread_mutex_unlock(&host.table);
	return free;
}

static struct perf_event_attr random_attr(bool of_task, int32_t cpu)
{
	struct perf_event_attr attr = {.size = sizeof(attr)};

	attr.type = host_random(4) ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
	attr.config = attr.type == PERF_TYPE_SOFTWARE ? PERF_COUNT_SW_PAGE_FAULTS : 0;
	attr.inherit = of_task && cpu >= 0 && !host_random(2);
	attr.pinned = !host_random(8);
	attr.disabled = !host_random(4);
	attr.comm = attr.task = attr.context_switch = 1;
	attr.enable_on_exec = attr.remove_on_exec = !host_random(8);
	attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID;
	attr.read_format = PERF_FORMAT_GROUP * host_random(2) | PERF_FORMAT_ID;
	if (attr.read_format & PERF_FORMAT_GROUP && !attr.inherit)
		attr.sample_type |= PERF_SAMPLE_READ;
	if (host_random(2))
		attr.sample_period = 1000 + host_random(20000);
	attr.wakeup_events = 1 + (uint32_t)host_random(10);
	if (!of_task && host_random(2)) {
		attr.type = host.shared.type;
		attr.sample_period = 0;
	}
	return attr;
}

static void open_file(size_t fd, struct tally_core_task *current)
{
	bool of_task = host_random(3);
	int32_t pid = of_task ? (int32_t)(1 + host_random(HOST_TASKS)) : -1;
	int32_t cpu = !of_task || !host_random(3) ? (int32_t)host_random(HOST_CPUS) : -1;
	int group = host_random(3) ? -1 : (int)host_random(HOST_FILES);
	struct perf_event_attr attr = random_attr(of_task, cpu);
	unsigned long flags = host_random(6) ? 0 : PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_NO_GROUP;
	struct tally_core_event *event;

	if (!reserve_file(fd))
		return;
	if (tally_core_open(host.core, current, &attr, pid, cpu, group, flags, &event, NULL)) {
		host_file_put(&host, fd);
		return;
	}
	host_lock(&host.table);
	host.files[fd].event = event;
	pthread_mutex_unlock(&host.table);
	host_cpu()->opened++;
	host_cpu()->shared += attr.type == host.shared.type;
}

static void map_file(size_t fd, struct tally_core_event *event, struct tally_core_task *current)
{
	struct host_file *file = &host.files[fd];
	struct tally_core_buffer *buffer = NULL;

	host_lock(&file->lock);
	if (!is_closed(file)) {
		if (file->buffer)
			tally_core_munmap(host.core, event, file->buffer);
		else
			tally_core_mmap(host.core, current, event, 9 * 4096, 0, true, &buffer,
					NULL);
		file->buffer = buffer;
	}
	pthread_mutex_unlock(&file->lock);
}

static void control_file(struct tally_core_event *event, struct tally_core_task *current)
{
	static const unsigned long requests[] = {PERF_EVENT_IOC_ENABLE,     PERF_EVENT_IOC_DISABLE,
						 PERF_EVENT_IOC_RESET,      PERF_EVENT_IOC_REFRESH,
						 PERF_EVENT_IOC_SET_OUTPUT, PERF_EVENT_IOC_PERIOD};
	unsigned long request = requests[host_random(6)];
	uint64_t period = 1000 + host_random(10000);
	uintptr_t arg = host_random(2);

	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		arg = host_random(8) ? host_random(HOST_FILES) : UINTPTR_MAX;
	else if (request == PERF_EVENT_IOC_PERIOD)
		arg = (uintptr_t)&period;
	tally_core_ioctl(host.core, current, event, request, arg, NULL);
}

static void read_file(struct tally_core_event *event)
{
	uint64_t words[3 * HOST_FILES + 3];

	if (tally_core_read(host.core, event, words, sizeof(words)) >= 0)
		host_cpu()->reads++;
}

static void use_file(size_t fd, struct tally_core_event *event, struct tally_core_task *current)
{
	if (!host_random(6))
		close_file(fd);
	else if (!host_random(4))
		map_file(fd, event, current);
	else if (!host_random(4))
		tally_core_poll(host.core, event);
	else if (host_random(2))
		control_file(event, current);
	else
		read_file(event);
}

static void system_call(struct tally_core_task *current)
{
	size_t fd = host_random(HOST_FILES);
	struct tally_core_event *event = host_file_get(&host, fd);

	if (event) {
		use_file(fd, event, current);
		host_file_put(&host, fd);
	} else if (host_random(20)) {
		open_file(fd, current);
	} else {
		tally_core_prctl(host.core, current, TALLY_CORE_PRCTL_DISABLE + host_random(2));
	}
	host_files_return(&host);
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

static bool take_task(struct host_task *task)
{
	bool taken;

	pthread_mutex_lock(&host.sched);
	taken = task->taken;
	task->taken = true;
	pthread_mutex_unlock(&host.sched);
	return !taken;
}

static void set_alive(struct host_task *task, bool alive)
{
	host_lock(&host.table);
	task->alive = alive;
	pthread_mutex_unlock(&host.table);
}

/* Wait until no call is using the task. The caller must already have made sure that lookups cannot
 * find it. */
static void wait_unused(struct host_task *task)
{
	uint32_t refs;

	do {
		host_yield();
		host_lock(&host.table);
		refs = task->refs;
		pthread_mutex_unlock(&host.table);
	} while (refs);
}

/* Make a task that is not running exit, and replace it with a new child of the task that is running
 * here. */
static void replace_task(struct host_cpu *cpu)
{
	struct host_task *other = &host.tasks[host_random(HOST_TASKS)];

	if (!take_task(other))
		return;
	set_alive(other, false);
	tally_core_exit(host.core, &other->perf);
	wait_unused(other);
	task_init(other);
	tally_core_fork(host.core, &cpu->task->perf, &other->perf, true);
	set_alive(other, true);
	pthread_mutex_lock(&host.sched);
	other->taken = false;
	pthread_mutex_unlock(&host.sched);
}

static void leave(struct host_cpu *cpu)
{
	uintptr_t flags = host_irq_save(&host);

	pthread_mutex_lock(&host.sched);
	if (cpu->task) {
		tally_core_switch(host.core, &cpu->task->perf, NULL, false);
		cpu->task->cpu = -1;
		cpu->task->taken = false;
		cpu->task = NULL;
	}
	pthread_mutex_unlock(&host.sched);
	host_irq_restore(&host, flags);
}

static void go_online(struct host_cpu *cpu)
{
	__atomic_store_n(&cpu->online, true, __ATOMIC_RELEASE);
	tally_core_cpu_online(host.core, cpu->number);
}

/* Take this CPU offline, leave it unresponsive for a while, and bring it back online. */
static void go_offline_and_back(struct host_cpu *cpu)
{
	leave(cpu);
	tally_core_cpu_offline(host.core, cpu->number);
	__atomic_store_n(&cpu->online, false, __ATOMIC_RELEASE);
	for (int i = 0; i < 20; i++)
		host_yield();
	go_online(cpu);
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
		if (host.files[fd].event)
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
	go_online(cpu);
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		switch_task(cpu);
		for (uint64_t i = host_random(8); i-- && cpu->task;) {
			hooks(cpu);
			system_call(&cpu->task->perf);
		}
		if (cpu->task && !host_random(16))
			replace_task(cpu);
		if (cpu->task && !host_random(32))
			tally_core_exec(host.core, &cpu->task->perf, !host_random(8));
		if (!host_random(64))
			go_offline_and_back(cpu);
	}
	leave(cpu);
	__atomic_fetch_add(&finished, 1, __ATOMIC_ACQ_REL);
	if (cpu->number == 0) {
		wait_for(&finished, HOST_CPUS);
		end_all();
		__atomic_store_n(&done, 1, __ATOMIC_RELEASE);
	}
	wait_for(&done, 1); /* other CPUs may still send calls to this CPU */
	return NULL;
}

/* ---- outside the CPUs ------------------------------------------------------------------- */

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

/* Drain all rings and send interrupts until the time is up. */
static void disturb(unsigned seconds)
{
	time_t end = time(NULL) + (time_t)seconds;
	uint64_t turn = 0;

	wait_for(&up, HOST_CPUS);
	while (time(NULL) < end) {
		struct host_file *file = &host.files[turn++ % HOST_FILES];

		pthread_mutex_lock(&file->lock);
		if (file->buffer && !drain(file->buffer))
			bad++;
		pthread_mutex_unlock(&file->lock);
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
	pthread_mutex_init(&host.table, NULL);
	for (int i = 0; i < HOST_FILES; i++)
		pthread_mutex_init(&host.files[i].lock, NULL);
	tally_core_settings_init(&settings);
	settings.record_max = 2048;
	ret = tally_core_create(&host_ops, &host, HOST_CPUS, &settings, &host.core);
	if (ret)
		return ret;
	host_pmu_init(&host);
	ret = tally_core_pmu_register(host.core, &host.pmu);
	if (!ret)
		ret = tally_core_pmu_register(host.core, &host.shared);
	for (int i = 0; i < HOST_TASKS; i++) {
		task_init(&host.tasks[i]);
		host.tasks[i].alive = true;
	}
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
	uint64_t switches = 0, overflows = 0, calls = 0, opened = 0, shared = 0, reads = 0;
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
		opened += host.cpus[i].opened;
		shared += host.cpus[i].shared;
		reads += host.cpus[i].reads;
	}
	tally_core_destroy(host.core);
	printf("# %u s: %llu switches, %llu overflows, %llu calls, %llu opened (%llu that move), "
	       "%llu read, %llu records\n",
	       seconds, (unsigned long long)switches, (unsigned long long)overflows,
	       (unsigned long long)calls, (unsigned long long)opened, (unsigned long long)shared,
	       (unsigned long long)reads, (unsigned long long)records);
	if (bad || !switches || !overflows || !records || !shared)
		printf("# %llu rings with bad records\n", (unsigned long long)bad);
	return bad || !switches || !overflows || !records || !shared;
}
