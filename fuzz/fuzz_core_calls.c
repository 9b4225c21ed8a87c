/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The input controls the actions of programs and of the machine: system calls with arbitrary attrs
 * and arguments, allocations and copies that fail, tasks that fork, exec and exit, CPUs that go
 * offline and online, overflow interrupts at any atomic operation, and calls from other tasks in
 * the middle of a call. The minimal host checks the core's contract. No objects may be left at the
 * end.
 */
#include <stdlib.h>
#include <string.h>

#include "core/minimal/mini.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { USER_LEN = 8192, MAX_CALLS = 400, MAX_PAGES = 32 };

static struct mini mini;
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

/* Take a number of any size from the input; most numbers are small. */
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

static struct mini_task *any_task(void)
{
	uint64_t slot = below(MINI_TASKS);

	for (int i = 0; i < MINI_TASKS; i++) {
		struct mini_task *task = mini.tasks[(slot + i) % MINI_TASKS];

		if (task)
			return task;
	}
	return mini_task_new(&mini);
}

/* Return a task that may make a call: either the task that is running here or another task that is
 * not in a call. Returns NULL if there is none. */
static struct mini_task *current(void)
{
	struct mini_task *task = mini.cpus[mini.cpu].task;

	if (!task || mini_in_call(&mini, task))
		task = any_task();
	return mini_in_call(&mini, task) || task->hidden ? NULL : task;
}

/* Take a number from the input and return it if it refers to an open file, or else -1. */
static int any_file(void)
{
	int fd = (int)below(48);

	return mini.files[fd].event && !mini.files[fd].closing ? fd : -1;
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
	struct mini_task *by = current();
	struct mini_task *task = below(3) ? any_task() : NULL;
	int32_t cpu = below(2) ? -1 : (int32_t)below(mini.nr_cpus + 1);
	int group = below(2) ? -1 : any_file();
	unsigned long flags = below(3) ? 0 : below(16);

	if (by)
		mini_open(&mini, by, bytes, len, task ? task->perf.tid : -1,
			  task ? cpu : (int32_t)below(mini.nr_cpus + 1), group, flags);
}

static void do_close(void)
{
	int fd = any_file();

	if (fd >= 0)
		mini_close(&mini, fd);
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
	struct mini_task *by = current();

	if (fd < 0 || !by)
		return;
	if ((request >> 16 & 0x3fff) && below(8)) {
		for (uint64_t len = below(16); len--;)
			user[arg++ % USER_LEN] = (uint8_t)take(1);
		arg = (uintptr_t)&user[arg % USER_LEN];
	}
	mini_ioctl(&mini, by, fd, request, arg);
}

static const char *const filters[] = {"a == 1", "a > 3 && (a < 9 || !(a == 7))", "a &", "b == 1"};

static void do_filter(void)
{
	int fd = any_file();
	const char *text = filters[below(4)];
	struct mini_task *by = current();

	memcpy(user, text, strlen(text) + 1);
	if (fd >= 0 && by)
		mini_ioctl(&mini, by, fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)user);
}

static void do_read(void)
{
	int fd = any_file();
	size_t len = number();

	if (fd >= 0)
		mini_read(&mini, fd, user, len);
}

static void do_poll(void)
{
	int fd = any_file();

	if (fd >= 0)
		mini_poll(&mini, fd);
}

static void do_mmap(void)
{
	int fd = any_file();
	size_t pages = below(8) ? 1 + ((size_t)1 << below(4)) : below(20);
	struct mini_task *by = current();

	if (fd >= 0 && by)
		mini_mmap(&mini, by, fd, pages * 4096, below(3), NULL);
}

static void do_munmap(void)
{
	int fd = any_file();

	if (fd >= 0)
		mini_munmap(&mini, fd);
}

static void do_prctl(void)
{
	struct mini_task *by = current();

	if (by)
		mini_prctl(&mini, by, TALLY_CORE_PRCTL_DISABLE + (int)below(3));
}

/* ---- user space writes to its mapping ---------------------------------------------------- */

static void do_scribble(void)
{
	int fd = any_file();
	struct tally_core_buffer *buffer = fd >= 0 ? mini.files[fd].mappings[0] : NULL;
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
	struct mini_task *by = current();

	if (by)
		mini_fork(&mini, by, below(2));
}

static void do_exec(void)
{
	struct mini_task *task = mini.cpus[mini.cpu].task;

	if (task && !mini_in_call(&mini, task))
		mini_exec(&mini, task, below(2));
}

static void do_exit(void)
{
	mini_exit(&mini, any_task());
}

static void do_switch(void)
{
	struct mini_task *task = below(6) ? any_task() : NULL;

	if (!task || (task->cpu < 0 && !task->hidden))
		mini_switch(&mini, task);
}

static void do_move(void)
{
	uint32_t cpu = (uint32_t)below(mini.nr_cpus);

	if (mini.cpus[cpu].online)
		mini_on(&mini, cpu);
}

/* core.h permits only one CPU to go offline or online at a time, so ignore nested requests. */
static void do_hotplug(void)
{
	uint32_t cpu = (uint32_t)below(mini.nr_cpus);
	static bool busy;

	if (busy)
		return;
	busy = true;
	if (!mini.cpus[cpu].online)
		mini_online(&mini, cpu);
	else if (cpu != mini.cpu)
		mini_offline(&mini, cpu);
	busy = false;
}

/* ---- machine events ---------------------------------------------------------------------- */

static void do_tick(void)
{
	mini_tick(&mini);
}

static void do_software(void)
{
	uint32_t id = (uint32_t)below(12);

	mini_software(&mini, id, number());
}

static void do_count(void)
{
	uint32_t counter = (uint32_t)below(MINI_ALL_COUNTERS);

	mini_count(&mini, counter, number());
}

static void do_overflow(void)
{
	uint32_t counter = (uint32_t)below(MINI_COUNTERS);
	struct tally_core_sample_data data = sample_data();

	mini_count(&mini, counter, number());
	mini_overflow(&mini, counter, &data);
}

static void do_advance(void)
{
	mini_advance(&mini, number() * 10000);
}

/* State of each PMU, followed by the tracepoint's state. PMUs and the tracepoint are unregistered
 * while in use, and registered again. */
static enum { IS_REGISTERED, IS_UNREGISTERING, IS_UNREGISTERED } presence[MINI_PMUS + 1];
/* Set while a call registers or unregisters the object. Only one such call may run at a time. */
static bool busy[MINI_PMUS + 1];

static void do_tracepoint(void)
{
	struct tally_core_sample_data data = sample_data();
	uint64_t raw[8] = {number(), number()};

	if (presence[MINI_PMUS] != IS_REGISTERED)
		return;
	mini.off++;
	tally_core_tracepoint_hit(mini.core, &mini.tracepoint, raw, (uint32_t)below(65), &data);
	mini.off--;
}

static void emit_sideband(uint64_t what, struct tally_core_task *task)
{
	static const struct perf_ns_link_info links[7];
	const struct tally_core_mapping mapping = {.addr = number(),
						   .len = number(),
						   .executable = below(2),
						   .build_id_size = (uint8_t)(below(2) * 20),
						   .filename = filters[below(4)]};

	switch (what) {
	case 0: tally_core_comm(mini.core, task, filters[below(4)], below(2)); break;
	case 1: tally_core_mapped(mini.core, task, &mapping, below(4) == 0); break;
	case 2: tally_core_namespaces(mini.core, task, links, 7); break;
	case 3: tally_core_ksymbol(mini.core, number(), 64, 1, below(2), "symbol"); break;
	case 4: tally_core_text_poke(mini.core, number(), user, 5, user, (uint32_t)number()); break;
	case 5: tally_core_bpf(mini.core, 1, 2, user); break;
	default: tally_core_cgroup(mini.core, number(), "/");
	}
}

static void do_sideband(void)
{
	struct mini_task *task = mini.cpus[mini.cpu].task;

	mini.off++;
	if (task)
		emit_sideband(below(7), &task->perf);
	mini.off--;
}

/* ---- errors and permissions --------------------------------------------------------------- */

static void do_fail_alloc(void)
{
	mini.refuse_alloc = 1 + below(8);
}

static void do_refuse_copy(void)
{
	mini.refuse_copy = 1 + below(3);
}

static void do_rights(void)
{
	mini.caps = below(3) ? UINT64_MAX : take(8);
	mini.may_observe = below(4);
	mini.memlock = below(3) ? UINT64_MAX : below(64) * 4096;
}

static void do_settings(void)
{
	struct tally_core_settings *settings = tally_core_settings(mini.core);

	settings->paranoid = (int32_t)below(5) - 1;
	settings->max_sample_rate = (uint32_t)(below(2) ? UINT32_MAX : number());
	settings->tick_ns = (uint32_t)(below(3) ? 4000000 : number());
}

static uint64_t until_interrupt, until_overlap;
/* Number of operations between two interrupts or two overlapping calls. If 0, interrupts or calls
 * occur only on request. Interrupting every operation might prevent progress. */
static uint64_t interrupt_gap, overlap_gap;

static void make_calls(void);

static void between(struct mini *where, enum mini_point point, const volatile void *what)
{
	static const struct tally_core_sample_data data = {.ip = 1, .mode = PERF_RECORD_MISC_USER};

	if (until_interrupt && !--until_interrupt) {
		until_interrupt = interrupt_gap;
		for (uint32_t i = 0; i < MINI_COUNTERS; i++) {
			mini_count(where, i, 1000);
			mini_overflow(where, i, &data);
		}
	}
	if (until_overlap && !--until_overlap)
		until_overlap = mini_overlap(where, make_calls) ? overlap_gap : 1;
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
	if (which == MINI_PMUS)
		return tally_core_tracepoint_register(mini.core, &mini.tracepoint);
	return tally_core_pmu_register(mini.core, &mini.pmus[which]);
}

static int unregister(uint64_t which)
{
	if (which == MINI_PMUS)
		return tally_core_tracepoint_unregister(mini.core, &mini.tracepoint);
	return tally_core_pmu_unregister(mini.core, &mini.pmus[which]);
}

static void do_unregister(void)
{
	uint64_t which = below(MINI_PMUS + 1);
	struct mini_call call;

	if (busy[which])
		return;
	busy[which] = true;
	mini_call_begin(&mini, &call, NULL, -1);
	if (presence[which] == IS_UNREGISTERED) {
		if (!register_again(which))
			presence[which] = IS_REGISTERED;
	} else {
		presence[which] = unregister(which) ? IS_UNREGISTERING : IS_UNREGISTERED;
	}
	mini_call_end(&mini, "unregister");
	busy[which] = false;
}

/* Finish the pending unregistrations at the end, when no call is active. */
static void end_unregistering(void)
{
	for (uint64_t i = 0; i <= MINI_PMUS; i++) {
		if (presence[i] == IS_UNREGISTERING && unregister(i))
			abort();
	}
}

static void do_hold(void)
{
	mini.hold_deferred = !mini.hold_deferred;
	if (!mini.hold_deferred)
		mini_deferred(&mini);
}

/* ---- main loop ---------------------------------------------------------------------------- */

static void (*const calls[])(void) = {
	do_open,     do_open,     do_open,     do_open,       do_close,      do_ioctl,
	do_ioctl,    do_filter,   do_read,     do_poll,       do_mmap,       do_mmap,
	do_munmap,   do_prctl,    do_scribble, do_fork,       do_exec,       do_exit,
	do_switch,   do_switch,   do_move,     do_move,       do_hotplug,    do_tick,
	do_software, do_count,    do_overflow, do_overflow,   do_advance,    do_tracepoint,
	do_sideband, do_settings, do_rights,   do_interrupt,  do_fail_alloc, do_refuse_copy,
	do_hold,     do_overlap,  do_overlap,  do_unregister,
};

static int made; /* number of calls so far */

static void make_call(void)
{
	if (made++ < MAX_CALLS)
		calls[below(sizeof(calls) / sizeof(calls[0]))]();
}

/* Make calls from other tasks in the middle of a call. */
static void make_calls(void)
{
	mini.user = user;
	mini.user_len = sizeof(user);
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
	mini_begin(&mini, 1 + (uint32_t)below(4), &settings);
	mini.tracepoint = (struct tally_core_tracepoint){
		.system = "fuzz", .name = "point", .id = 7, .fields = &field, .nr_fields = 1};
	tally_core_tracepoint_register(mini.core, &mini.tracepoint);
	memset(presence, 0, sizeof(presence));
	mini.refuse_beyond = MAX_PAGES;
	mini.at = between;
	until_interrupt = interrupt_gap = below(3) ? 0 : 20 + below(200);
	until_overlap = overlap_gap = below(2) ? 0 : 1 + below(100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	input.at = data;
	input.left = size;
	memset(user, 0, sizeof(user));
	setup();
	mini.user = user;
	mini.user_len = sizeof(user);
	for (made = 0; made < MAX_CALLS && input.left;)
		make_call();
	end_unregistering();
	mini_end(&mini);
	return 0;
}
