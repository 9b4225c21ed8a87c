/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input controls the actions of programs and of the machine: system calls with any attr and
 * argument, failing memory allocation and copies, tasks that fork, exec and exit, CPUs that go
 * offline and online, overflow interrupts at any atomic operation, and calls of other tasks in the
 * middle of a call. The minimal host checks the contract of the core. At the end no object may be
 * left.
 */
#include <stdlib.h>
#include <string.h>

#include "core/least/least.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { USER_LEN = 8192, MAX_CALLS = 400, MAX_PAGES = 32 };

static struct least least;
static uint8_t user[USER_LEN]; /* user memory shared by all programs */

/* ---- the input -------------------------------------------------------------------------- */

static struct {
	const uint8_t *at;
	size_t left;
} input;

static uint64_t take(size_t len)
{
	uint64_t value = 0;

	len = len < input.left ? len : input.left;
	memcpy(&value, input.at, len);
	input.at += len;
	input.left -= len;
	return value;
}

static uint64_t below(uint64_t limit)
{
	return take(1 + (limit > 256)) % limit;
}

/* Take a number of any size, with a bias to small ones. */
static uint64_t number(void)
{
	uint64_t kind = take(1);

	return kind < 192 ? kind : take(kind < 224 ? 2 : 8);
}

static struct tally_core_sample_data sample_data(void)
{
	static const struct perf_branch_entry branches[40];
	static const uint16_t modes[] = {PERF_RECORD_MISC_USER, PERF_RECORD_MISC_KERNEL,
					 PERF_RECORD_MISC_HYPERVISOR, PERF_RECORD_MISC_GUEST_USER};

	return (struct tally_core_sample_data){.ip = number(),
					       .addr = number(),
					       .mode = modes[below(4)],
					       .idle = below(8) == 0,
					       .weight = below(3),
					       .branches = branches,
					       .nr_branches = (uint32_t)below(41)};
}

/* ---- tasks and files -------------------------------------------------------------------- */

static struct least_task *any_task(void)
{
	uint64_t slot = below(LEAST_TASKS);

	for (int i = 0; i < LEAST_TASKS; i++) {
		struct least_task *task = least.tasks[(slot + i) % LEAST_TASKS];

		if (task)
			return task;
	}
	return least_task_new(&least);
}

/* Return a task that may make a call: the one that runs here, or another one that is not in a call.
 */
static struct least_task *current(void)
{
	struct least_task *task = least.cpus[least.cpu].task;

	if (!task || least_in_call(&least, task))
		task = any_task();
	return least_in_call(&least, task) || task->hidden ? NULL : task;
}

/* Return an open file, or -1 if the number taken does not refer to one. */
static int any_file(void)
{
	int fd = (int)below(48);

	return least.files[fd].event && !least.files[fd].closing ? fd : -1;
}

/* ---- system calls ------------------------------------------------------------------------ */

/* Make a valid attr and overwrite some of its bytes. */
static size_t make_attr(uint8_t *bytes)
{
	static const uint32_t types[] = {
		10, PERF_TYPE_SOFTWARE,  PERF_TYPE_HARDWARE, PERF_TYPE_TRACEPOINT,
		11, PERF_TYPE_BREAKPOINT};
	static const uint32_t sizes[] = {sizeof(struct perf_event_attr), PERF_ATTR_SIZE_VER0, 0,
					 200};
	struct perf_event_attr attr = {.type = types[below(6)], .size = sizes[below(4)]};

	attr.config = below(12);
	attr.sample_period = number();
	attr.sample_type = take(4) & take(4);
	attr.read_format = below(32);
	attr.inherit = below(2);
	attr.wakeup_events = (uint32_t)below(3);
	memcpy(bytes, &attr, sizeof(attr));
	for (uint64_t patches = below(6); patches--;) {
		uint64_t at = below(sizeof(attr));

		bytes[at] = (uint8_t)take(1);
	}
	return attr.size < 64 ? 64 : attr.size;
}

static void do_open(void)
{
	uint8_t bytes[256] = {0};
	size_t len = make_attr(bytes);
	struct least_task *by = current();
	struct least_task *task = below(3) ? any_task() : NULL;
	int32_t cpu = below(2) ? -1 : (int32_t)below(least.nr_cpus + 1);
	int group = below(2) ? -1 : any_file();
	unsigned long flags = below(3) ? 0 : below(16);

	if (by)
		least_open(&least, by, bytes, len, task ? task->perf.tid : -1,
			   task ? cpu : (int32_t)below(least.nr_cpus + 1), group, flags);
}

static void do_close(void)
{
	int fd = any_file();

	if (fd >= 0)
		least_close(&least, fd);
}

static void do_ioctl(void)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE,     PERF_EVENT_IOC_DISABLE,
		PERF_EVENT_IOC_REFRESH,    PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_PERIOD,     PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID,
		PERF_EVENT_IOC_SET_BPF,    PERF_EVENT_IOC_PAUSE_OUTPUT,
		PERF_EVENT_IOC_QUERY_BPF,  PERF_EVENT_IOC_MODIFY_ATTRIBUTES,
	};
	int fd = any_file();
	unsigned long request = requests[below(12)];
	uintptr_t arg = number();
	struct least_task *by = current();

	if (fd < 0 || !by)
		return;
	if ((request >> 16 & 0x3fff) && below(8)) {
		for (uint64_t len = below(16); len--;)
			user[arg++ % USER_LEN] = (uint8_t)take(1);
		arg = (uintptr_t)&user[arg % USER_LEN];
	}
	least_ioctl(&least, by, fd, request, arg);
}

static const char *const filters[] = {"a == 1", "a > 3 && (a < 9 || !(a == 7))", "a &", "b == 1"};

static void do_filter(void)
{
	int fd = any_file();
	const char *text = filters[below(4)];
	struct least_task *by = current();

	memcpy(user, text, strlen(text) + 1);
	if (fd >= 0 && by)
		least_ioctl(&least, by, fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)user);
}

static void do_read(void)
{
	int fd = any_file();
	size_t len = number();

	if (fd >= 0)
		least_read(&least, fd, user, len);
}

static void do_poll(void)
{
	int fd = any_file();

	if (fd >= 0)
		least_poll(&least, fd);
}

static void do_mmap(void)
{
	int fd = any_file();
	size_t pages = below(8) ? 1 + ((size_t)1 << below(4)) : below(20);
	struct least_task *by = current();

	if (fd >= 0 && by)
		least_mmap(&least, by, fd, pages * 4096, below(3), NULL);
}

static void do_munmap(void)
{
	int fd = any_file();

	if (fd >= 0)
		least_munmap(&least, fd);
}

static void do_prctl(void)
{
	struct least_task *by = current();

	if (by)
		least_prctl(&least, by, TALLY_CORE_PRCTL_DISABLE + (int)below(3));
}

/* ---- user space writes to its mapping ---------------------------------------------------- */

static void do_scribble(void)
{
	int fd = any_file();
	struct tally_core_buffer *buffer = fd >= 0 ? least.files[fd].mappings[0] : NULL;
	struct perf_event_mmap_page *page;

	if (!buffer)
		return;
	page = tally_core_buffer_page(buffer, 0);
	if (below(2))
		page->data_tail = page->data_head;
	else
		((uint8_t *)page)[below(1200)] = (uint8_t)take(1);
}

/* ---- tasks and CPUs ---------------------------------------------------------------------- */

static void do_fork(void)
{
	struct least_task *by = current();

	if (by)
		least_fork(&least, by, below(2));
}

static void do_exec(void)
{
	struct least_task *task = least.cpus[least.cpu].task;

	if (task && !least_in_call(&least, task))
		least_exec(&least, task, below(2));
}

static void do_exit(void)
{
	least_exit(&least, any_task());
}

static void do_switch(void)
{
	struct least_task *task = below(6) ? any_task() : NULL;

	if (!task || (task->cpu < 0 && !task->hidden))
		least_switch(&least, task);
}

static void do_move(void)
{
	uint32_t cpu = (uint32_t)below(least.nr_cpus);

	if (least.cpus[cpu].online)
		least_on(&least, cpu);
}

/* core.h permits only one CPU to go offline or online at a time, so ignore nested requests. */
static void do_hotplug(void)
{
	uint32_t cpu = (uint32_t)below(least.nr_cpus);
	static bool busy;

	if (busy)
		return;
	busy = true;
	if (!least.cpus[cpu].online)
		least_online(&least, cpu);
	else if (cpu != least.cpu)
		least_offline(&least, cpu);
	busy = false;
}

/* ---- machine events ---------------------------------------------------------------------- */

static void do_tick(void)
{
	least_tick(&least);
}

static void do_software(void)
{
	uint32_t id = (uint32_t)below(12);

	least_software(&least, id, number());
}

static void do_count(void)
{
	uint32_t counter = (uint32_t)below(LEAST_ALL_COUNTERS);

	least_count(&least, counter, number());
}

static void do_overflow(void)
{
	uint32_t counter = (uint32_t)below(LEAST_COUNTERS);
	struct tally_core_sample_data data = sample_data();

	least_count(&least, counter, number());
	least_overflow(&least, counter, &data);
}

static void do_advance(void)
{
	least_advance(&least, number() * 10000);
}

/* PMUs, followed by the tracepoint, are unregistered while in use, and registered again. */
static enum { IS_THERE, IS_HALF_GONE, IS_GONE } presence[LEAST_PMUS + 1];
/* Set while a call registers or unregisters the object: there must be only one at a time. */
static bool busy[LEAST_PMUS + 1];

static void do_tracepoint(void)
{
	struct tally_core_sample_data data = sample_data();
	uint64_t raw[8] = {number(), number()};

	if (presence[LEAST_PMUS] != IS_THERE)
		return;
	least.off++;
	tally_core_tracepoint_hit(least.core, &least.tracepoint, raw, (uint32_t)below(65), &data);
	least.off--;
}

static void tell(uint64_t what, struct tally_core_task *task)
{
	static const struct perf_ns_link_info links[7];
	const struct tally_core_mapping mapping = {.addr = number(),
						   .len = number(),
						   .executable = below(2),
						   .build_id_size = (uint8_t)(below(2) * 20),
						   .filename = filters[below(4)]};

	switch (what) {
	case 0: tally_core_comm(least.core, task, filters[below(4)], below(2)); break;
	case 1: tally_core_mapped(least.core, task, &mapping, below(4) == 0); break;
	case 2: tally_core_namespaces(least.core, task, links, 7); break;
	case 3: tally_core_ksymbol(least.core, number(), 64, 1, below(2), "symbol"); break;
	case 4:
		tally_core_text_poke(least.core, number(), user, 5, user, (uint32_t)number());
		break;
	case 5: tally_core_bpf(least.core, 1, 2, user); break;
	default: tally_core_cgroup(least.core, number(), "/");
	}
}

static void do_sideband(void)
{
	struct least_task *task = least.cpus[least.cpu].task;

	least.off++;
	if (task)
		tell(below(7), &task->perf);
	least.off--;
}

/* ---- errors and permissions --------------------------------------------------------------- */

static void do_refuse_alloc(void)
{
	least.refuse_alloc = 1 + below(8);
}

static void do_refuse_copy(void)
{
	least.refuse_copy = 1 + below(3);
}

static void do_rights(void)
{
	least.caps = below(3) ? UINT64_MAX : take(8);
	least.may_observe = below(4);
	least.memlock = below(3) ? UINT64_MAX : below(64) * 4096;
}

static void do_settings(void)
{
	struct tally_core_settings *settings = tally_core_settings(least.core);

	settings->paranoid = (int32_t)below(5) - 1;
	settings->max_sample_rate = (uint32_t)(below(2) ? UINT32_MAX : number());
	settings->tick_ns = (uint32_t)(below(3) ? 4000000 : number());
}

static uint64_t until_interrupt, until_overlap;
/* Operations between two interrupts or overlaps; 0: only on request. Interrupting every operation
 * might prevent progress. */
static uint64_t interrupt_gap, overlap_gap;

static void make_calls(void);

static void between(struct least *where, enum least_point point, const volatile void *what)
{
	static const struct tally_core_sample_data data = {.ip = 1, .mode = PERF_RECORD_MISC_USER};

	if (until_interrupt && !--until_interrupt) {
		until_interrupt = interrupt_gap;
		for (uint32_t i = 0; i < LEAST_COUNTERS; i++) {
			least_count(where, i, 1000);
			least_overflow(where, i, &data);
		}
	}
	if (until_overlap && !--until_overlap)
		until_overlap = least_overlap(where, make_calls) ? overlap_gap : 1;
}

static void do_overlap(void)
{
	until_overlap = 1 + below(60);
}

static void do_interrupt(void)
{
	until_interrupt = number();
}

static int register_again(uint64_t which)
{
	if (which == LEAST_PMUS)
		return tally_core_tracepoint_register(least.core, &least.tracepoint);
	return tally_core_pmu_register(least.core, &least.pmus[which]);
}

static int unregister(uint64_t which)
{
	if (which == LEAST_PMUS)
		return tally_core_tracepoint_unregister(least.core, &least.tracepoint);
	return tally_core_pmu_unregister(least.core, &least.pmus[which]);
}

static void do_unregister(void)
{
	uint64_t which = below(LEAST_PMUS + 1);
	struct least_call call;

	if (busy[which])
		return;
	busy[which] = true;
	least_call_begin(&least, &call, NULL, -1);
	if (presence[which] == IS_GONE) {
		if (!register_again(which))
			presence[which] = IS_THERE;
	} else {
		presence[which] = unregister(which) ? IS_HALF_GONE : IS_GONE;
	}
	least_call_end(&least, "unregister");
	busy[which] = false;
}

/* At the end, when no call is active, finish the pending unregistrations. */
static void end_unregistering(void)
{
	for (uint64_t i = 0; i <= LEAST_PMUS; i++) {
		if (presence[i] == IS_HALF_GONE && unregister(i))
			abort();
	}
}

static void do_hold(void)
{
	least.hold_deferred = !least.hold_deferred;
	if (!least.hold_deferred)
		least_deferred(&least);
}

/* ---- main loop ---------------------------------------------------------------------------- */

static void (*const calls[])(void) = {
	do_open,     do_open,     do_open,     do_open,       do_close,        do_ioctl,
	do_ioctl,    do_filter,   do_read,     do_poll,       do_mmap,         do_mmap,
	do_munmap,   do_prctl,    do_scribble, do_fork,       do_exec,         do_exit,
	do_switch,   do_switch,   do_move,     do_move,       do_hotplug,      do_tick,
	do_software, do_count,    do_overflow, do_overflow,   do_advance,      do_tracepoint,
	do_sideband, do_settings, do_rights,   do_interrupt,  do_refuse_alloc, do_refuse_copy,
	do_hold,     do_overlap,  do_overlap,  do_unregister,
};

static int made; /* number of calls so far */

static void make_call(void)
{
	if (made++ < MAX_CALLS)
		calls[below(sizeof(calls) / sizeof(calls[0]))]();
}

/* Make calls of other tasks in the middle of a call. */
static void make_calls(void)
{
	least.user = user;
	least.user_len = sizeof(user);
	for (uint64_t nr = 1 + below(4); nr--;)
		make_call();
}

static void setup(void)
{
	static const struct tally_core_field field = {"a", 0, 4, false, false};
	struct tally_core_settings settings;

	tally_core_settings_init(&settings);
	settings.paranoid = (int32_t)below(4) - 1;
	settings.record_max = below(2) ? 512 : 4096;
	settings.scattered = below(2);
	least_begin(&least, 1 + (uint32_t)below(4), &settings);
	least.tracepoint = (struct tally_core_tracepoint){
		.system = "fuzz", .name = "point", .id = 7, .fields = &field, .nr_fields = 1};
	tally_core_tracepoint_register(least.core, &least.tracepoint);
	memset(presence, 0, sizeof(presence));
	least.refuse_beyond = MAX_PAGES;
	least.at = between;
	until_interrupt = interrupt_gap = below(3) ? 0 : 20 + below(200);
	until_overlap = overlap_gap = below(2) ? 0 : 1 + below(100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input.at = data;
	input.left = size;
	memset(user, 0, sizeof(user));
	setup();
	least.user = user;
	least.user_len = sizeof(user);
	for (made = 0; made < MAX_CALLS && input.left;)
		make_call();
	end_unregistering();
	least_end(&least);
	return 0;
}
