/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random stress. Time passes inside the core, so overflow interrupts on all CPUs occur in the
 * middle of its code. Allocations fail. Tasks fork, exec, migrate and exit while events are opened
 * and closed on them. All kinds of PMUs are used. (test_random.c uses simpler machines and compares
 * every count with the truth.) The machine checks the host contract, and the core checks its own
 * state. The test also checks that enabled >= running, that totals never decrease, that nothing is
 * counted that did not happen, that records are complete, and that nothing leaks. If the core takes
 * no time, the count of an event that ran all the time must equal the truth.
 *
 * TALLY_OPERATIONS sets the number of operations, and TALLY_SEED repeats a run. A failure is
 * printed together with the scripts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "../random.h"
#include "../tier.h"
#include "base/arith.h"
#include "harness.h"

enum {
	OPS_PER_ROUND = 2000,
	NR_SLOTS = 24,
	NR_SCRIPTS = 6,
	NR_STEPS = 14,
	MAX_TASKS = 60,
	MAX_RUN_NS = 60 * US,
};

/* An open event: its opener and target, and the true counts when it was opened or reset. */
struct slot {
	int fd; /* -1 if unused */
	struct tally_sim_task *opener;
	struct tally_sim_task *task; /* NULL for all tasks on a CPU */
	int32_t cpu;
	unsigned signal;
	struct perf_event_attr attr;
	/* A filter on the true counts can select exactly what the event counts. */
	bool comparable;
	uint64_t truth, ns, ns_anywhere; /* true counts when opened or reset */
	uint64_t last;
	void *ring;
	bool writable;
};

struct stress_state {
	struct harness harness;
	struct random random;
	struct tally_sim_pmu pmus[2];
	struct tally_sim_rates rates[4];
	struct tally_sim_step scripts[NR_SCRIPTS][NR_STEPS + 3];
	struct slot slots[NR_SLOTS];
	uint32_t nr_cpus;
	bool exact; /* no time passes inside the core */
	const char *op;
	uint64_t round, nr_ops;
	uint64_t nr_compared; /* nonzero counts that had to equal the truth */
};

static struct stress_state play;

static uint64_t pick(uint64_t limit)
{
	return random_below(&play.random, limit);
}

static bool one_in(uint64_t n)
{
	return !pick(n);
}

/* ---- random machines ------------------------------------------------------------- */

static struct tally_sim_pmu random_pmu(bool core)
{
	struct tally_sim_pmu pmu = {
		.name = core ? "cpu" : "other",
		.type = core ? 8 : 9,
		.core = core,
		.nr_generic = (uint8_t)(one_in(2) ? 24 : 1 + pick(6)),
		.nr_fixed = (uint8_t)pick(3),
		.fixed = {SIM_CYCLES, SIM_INSTRUCTIONS},
		.width = (uint8_t)(one_in(4) ? 64 : 16 + pick(48)),
		.skid_ns = one_in(3) ? (uint32_t)pick(2000) : 0,
		.maskable = one_in(2),
		.immediate = one_in(3),
		.no_pause = one_in(3),
		.caps = one_in(2) ? TALLY_PMU_USER_READ : 0,
	};

	if (one_in(2))
		pmu.constraint[SIM_BRANCHES] = 1;
	if (!core && one_in(3))
		pmu.caps |= TALLY_PMU_NO_INTERRUPT;
	return pmu;
}

static struct tally_sim_step random_step(unsigned script)
{
	uint64_t further = script + 1 + pick(3), later = TALLY_MIN(further, NR_SCRIPTS - 1);
	const struct tally_sim_step faults = SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1 + pick(3));
	const struct tally_sim_step others[] = {
		SIM_SLEEP(1 + pick(50 * US)),
		SIM_YIELD(),
		SIM_MIGRATE((uint32_t)pick(play.nr_cpus)),
		faults,
		SIM_PRIORITY((int32_t)pick(3)),
		SIM_EXEC("other"),
		/* Only start scripts with higher numbers, to keep the task tree finite. */
		SIM_FORK(play.scripts[later]),
		SIM_CLONE(play.scripts[later]),
	};
	const struct tally_sim_step run = SIM_RUN((enum tally_sim_mode)pick(SIM_IDLE),
						  1 + pick(30 * US), &play.rates[pick(4)]);

	if (one_in(2))
		return run;
	return others[pick(script < NR_SCRIPTS - 1 ? 8 : 6)];
}

/* Generate a script: a loop of run steps mixed with other steps. */
static void random_script(unsigned n)
{
	struct tally_sim_step *script = play.scripts[n];
	const struct tally_sim_step first = SIM_RUN(SIM_USER, 1 + pick(10 * US), &play.rates[0]);
	const struct tally_sim_step loop = SIM_LOOP(1 + pick(n ? 4 : 1000)), end = SIM_END_LOOP();

	memset(script, 0, sizeof(play.scripts[n]));
	script[0] = loop;
	script[1] = first;
	for (unsigned i = 2; i < NR_STEPS; i++)
		script[i] = random_step(n);
	script[NR_STEPS] = end;
}

static void begin_round(void)
{
	struct tally_sim_config config = {
		.pmus = play.pmus, .nr_pmus = 2, .idle = &play.rates[3], .max_tasks = MAX_TASKS};
	struct tally_core_settings *settings;

	play.nr_cpus = 1 + (uint32_t)pick(4);
	for (unsigned i = 0; i < 4; i++)
		for (unsigned signal = 0; signal < SIM_NR_HW; signal++)
			play.rates[i].per_ms[signal] = (uint32_t)pick(4000000);
	for (unsigned i = 0; i < 2; i++)
		play.pmus[i] = random_pmu(!i);
	for (unsigned i = 0; i < NR_SCRIPTS; i++)
		random_script(i);
	for (unsigned i = 0; i < NR_SLOTS; i++)
		play.slots[i].fd = -1;
	config.seed = random_u64(&play.random);
	config.no_task_cpu = one_in(2);
	config.says_running = one_in(2);
	config.quantum_ns = 1000 + pick(100 * US);
	config.op_cost_ns = play.exact ? 0 : 1 + pick(40);
	harness_begin(&play.harness, play.nr_cpus, &config);
	settings = tally_core_settings(tally_sim_core(play.harness.sim));
	settings->scattered = one_in(2);
	settings->tick_ns = (uint32_t)(20 * US + pick(100 * US));
	settings->max_sample_rate = play.exact ? 1000000000 : 1000000;
	for (unsigned i = 0; i < 4; i++)
		harness_spawn(&play.harness, play.scripts[i], (uint32_t)pick(play.nr_cpus));
}

static void end_round(void)
{
	harness_end(&play.harness);
}

/* ---- invariants -------------------------------------------------------------------- */

static uint64_t truth_of(const struct slot *slot, unsigned signal)
{
	struct tally_sim_filter filter = {.task = slot->task,
					  .tree = slot->attr.inherit,
					  .cpus = slot->cpu < 0 ? 0 : 1u << slot->cpu,
					  .modes = signal == SIM_NS || !slot->attr.exclude_kernel
							   ? 0
							   : 1 << SIM_USER | 1 << SIM_GUEST_USER |
								     1 << SIM_HYPERVISOR};

	return tally_sim_truth(play.harness.sim, filter, signal);
}

/* Return the task's running time on all CPUs. A task event is enabled even on CPUs where it does
 * not count. */
static uint64_t ns_anywhere(const struct slot *slot)
{
	struct slot all = *slot;

	all.cpu = slot->task ? -1 : slot->cpu;
	return truth_of(&all, SIM_NS);
}

static void note_truth(struct slot *slot)
{
	slot->truth = truth_of(slot, slot->signal);
	slot->last = 0;
}

static bool slot_gone(const struct slot *slot)
{
	return slot->fd < 0 || tally_sim_task_exited(slot->opener);
}

static void check_slot(struct slot *slot)
{
	uint64_t words[5] = {0}, happened, ns;
	int64_t len =
		tally_sim_read(play.harness.sim, slot->opener, slot->fd, words, sizeof(words));

	if (len == 0 && slot->attr.pinned)
		return;
	assert_int_equal(len, sizeof(words));
	assert_true(words[1] >= words[2]);
	assert_true(words[0] >= slot->last);
	slot->last = words[0];
	if (!slot->comparable || !play.exact)
		return;
	happened = truth_of(slot, slot->signal) - slot->truth;
	ns = truth_of(slot, SIM_NS) - slot->ns;
	if (words[1] > ns_anywhere(slot) - slot->ns_anywhere || words[0] > happened ||
	    (words[2] == ns && words[0] != happened && slot->signal < SIM_NS))
		fail_msg("signal %u of task %d on CPU %d, inherit %u: %" PRIu64 " in %" PRIu64
			 " of %" PRIu64 " ns; true are %" PRIu64 " in %" PRIu64 " ns",
			 slot->signal, slot->task ? tally_sim_task_tid(slot->task) : -1, slot->cpu,
			 (unsigned)slot->attr.inherit, words[0], words[2], words[1], happened, ns);
	play.nr_compared += words[2] == ns && happened;
}

/* ---- operations --------------------------------------------------------------------- */

static struct tally_sim_task *random_task(void)
{
	size_t nr = 0;
	struct tally_sim_task *task;

	while (tally_sim_task_at(play.harness.sim, nr))
		nr++;
	/* Prefer recent tasks, because most earlier ones have exited. */
	task = tally_sim_task_at(play.harness.sim, nr - 1 - pick(TALLY_MIN(nr, 8)));
	return tally_sim_task_exited(task) ? tally_sim_task_at(play.harness.sim, 0) : task;
}

static struct slot *random_slot(void)
{
	struct slot *slot = &play.slots[pick(NR_SLOTS)];

	if (slot->fd >= 0 && tally_sim_task_exited(slot->opener))
		slot->fd = -1;
	return slot;
}

static struct perf_event_attr random_attr(unsigned *ret_signal)
{
	static const unsigned software[] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_DUMMY,
					    PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_TASK_CLOCK};
	unsigned id = software[pick(4)], signal = (unsigned)pick(5);
	bool hw = !one_in(4);
	struct perf_event_attr attr = hw ? attr_hw(signal) : attr_sw(id);

	if (hw && one_in(4))
		attr.type = 9;
	*ret_signal = hw ? signal : SIM_SW + id;
	attr.disabled = one_in(3);
	attr.inherit = one_in(3);
	attr.pinned = one_in(8);
	attr.exclusive = one_in(16);
	attr.exclude_kernel = one_in(4);
	attr.enable_on_exec = attr.disabled && one_in(4);
	attr.remove_on_exec = !attr.enable_on_exec && one_in(16);
	attr.inherit_stat = attr.inherit && one_in(4);
	attr.inherit_thread = attr.inherit && one_in(4);
	attr.task = attr.comm = attr.mmap = one_in(4);
	attr.context_switch = one_in(6);
	attr.sample_id_all = one_in(2);
	attr.wakeup_events = (uint32_t)pick(3);
	if (one_in(3)) {
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
				   (one_in(3) ? PERF_SAMPLE_CALLCHAIN : 0);
		attr.freq = one_in(3);
		attr.sample_period = attr.freq ? 1 + pick(20000) : 2000 + pick(1000000);
	}
	return attr;
}

/* Return true if a filter on the true counts can select exactly what the event counts. */
static bool is_comparable(const struct slot *slot)
{
	bool clock = slot->signal >= SIM_SW && slot->signal != SIM_SW + PERF_COUNT_SW_PAGE_FAULTS;

	for (size_t i = 0; slot->attr.inherit && tally_sim_task_at(play.harness.sim, i); i++)
		if (tally_sim_task_parent(tally_sim_task_at(play.harness.sim, i)) == slot->task)
			return false;
	return !clock && !slot->attr.inherit_thread;
}

static void op_open(void)
{
	struct slot *slot = random_slot(), *leader = random_slot();
	int group_fd = -1;

	if (slot->fd >= 0)
		return;
	*slot = (struct slot){.fd = -1, .cpu = one_in(3) ? (int32_t)pick(play.nr_cpus) : -1};
	slot->attr = random_attr(&slot->signal);
	slot->opener = one_in(4) ? random_task() : play.harness.observer;
	slot->task = slot->cpu >= 0 && one_in(2) ? NULL : random_task();
	if (one_in(3) && !slot_gone(leader)) {
		group_fd = leader->fd;
		slot->opener = leader->opener;
		slot->task = leader->task;
		slot->cpu = leader->cpu;
		slot->attr.inherit = leader->attr.inherit;
		slot->attr.pinned = 0;
	}
	slot->fd =
		harness_try(&play.harness, slot->opener, slot->attr,
			    slot->task ? tally_sim_task_tid(slot->task) : -1, slot->cpu, group_fd);
	slot->comparable = is_comparable(slot);
	note_truth(slot);
	slot->ns = truth_of(slot, SIM_NS);
	slot->ns_anywhere = ns_anywhere(slot);
}

static void op_close(void)
{
	struct slot *slot = random_slot();

	if (slot_gone(slot))
		return;
	if (slot->ring && one_in(2))
		tally_sim_munmap(play.harness.sim, slot->opener, slot->ring);
	assert_int_equal(tally_sim_close(play.harness.sim, slot->opener, slot->fd), 0);
	slot->fd = -1;
}

static void op_ioctl(void)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE,  PERF_EVENT_IOC_DISABLE,      PERF_EVENT_IOC_ENABLE,
		PERF_EVENT_IOC_REFRESH, PERF_EVENT_IOC_PAUSE_OUTPUT, PERF_EVENT_IOC_SET_OUTPUT};
	struct slot *slot = random_slot(), *other = random_slot();
	unsigned long request = requests[pick(6)];
	uintptr_t arg = pick(4);

	if (slot_gone(slot))
		return;
	if (request == PERF_EVENT_IOC_SET_OUTPUT)
		arg = slot_gone(other) ? (uintptr_t)-1 : (uintptr_t)other->fd;
	tally_sim_ioctl(play.harness.sim, slot->opener, slot->fd, request, arg);
}

static void op_period(void)
{
	struct slot *slot = random_slot();
	uint64_t period = 1000 + pick(20000);

	if (!slot_gone(slot))
		tally_sim_ioctl(play.harness.sim, slot->opener, slot->fd, PERF_EVENT_IOC_PERIOD,
				(uintptr_t)&period);
}

static void op_reset(void)
{
	struct slot *slot = random_slot();

	/* Reset does not clear the counts of exited children. */
	if (slot_gone(slot) || slot->attr.inherit ||
	    tally_sim_ioctl(play.harness.sim, slot->opener, slot->fd, PERF_EVENT_IOC_RESET, 0))
		return;
	note_truth(slot);
	/* If the event has been running ever since it was opened, its count must equal the truth
	 * since the reset. */
}

static void op_mmap(void)
{
	struct slot *slot = random_slot();

	if (slot_gone(slot) || slot->ring)
		return;
	slot->writable = !one_in(4);
	if (tally_sim_mmap(play.harness.sim, slot->opener, slot->fd, 4096 * (1 + (1u << pick(3))),
			   0, slot->writable, &slot->ring))
		slot->ring = NULL;
}

/* Check that there are only complete records between the tail and the head. */
static void check_ring(struct perf_event_mmap_page *page)
{
	const uint8_t *data = (const uint8_t *)page + page->data_offset;

	while (page->data_tail != page->data_head) {
		struct perf_event_header header;

		memcpy(&header, data + page->data_tail % page->data_size, sizeof(header));
		assert_in_range(header.type, 1, PERF_RECORD_MAX - 1);
		assert_in_range(header.size, sizeof(header), page->data_head - page->data_tail);
		assert_int_equal(header.size % 8, 0);
		page->data_tail += header.size;
	}
}

static void op_drain(void)
{
	struct slot *slot = random_slot();

	if (slot_gone(slot))
		return;
	/* Other tasks lose their mappings on exec and exit. */
	if (slot->ring && slot->opener == play.harness.observer && slot->writable)
		check_ring(slot->ring);
	tally_sim_poll(play.harness.sim, slot->opener, slot->fd);
}

static void op_step(void)
{
	const struct tally_sim_step steps[] = {
		SIM_MIGRATE((uint32_t)pick(play.nr_cpus)),
		SIM_EXEC("again"),
		SIM_COMM("name"),
		SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1),
		SIM_PRIORITY((int32_t)pick(3)),
		SIM_FORK(play.scripts[1 + pick(NR_SCRIPTS - 1)]),
		SIM_CLONE(play.scripts[1 + pick(NR_SCRIPTS - 1)]),
		SIM_EXIT(),
	};
	struct tally_sim_task *task = random_task();

	if (task != play.harness.observer)
		tally_sim_execute(play.harness.sim, task, &steps[pick(8)]);
}

static void op_run(void)
{
	tally_sim_run(play.harness.sim, pick(MAX_RUN_NS));
}

static void op_prctl(void)
{
	tally_sim_prctl(play.harness.sim, random_task(),
			one_in(2) ? TALLY_CORE_PRCTL_DISABLE : TALLY_CORE_PRCTL_ENABLE);
}

static void op_hotplug(void)
{
	uint32_t cpu = (uint32_t)pick(play.nr_cpus);

	if (one_in(2))
		tally_sim_cpu_offline(play.harness.sim, cpu);
	else
		tally_sim_cpu_online(play.harness.sim, cpu);
}

/* Make some allocations fail. */
static void op_no_memory(void)
{
	tally_sim_fail_alloc(play.harness.sim, 1 + pick(6));
	op_open();
	tally_sim_fail_alloc(play.harness.sim, one_in(2) ? 1 + pick(3) : 0);
	op_step();
	tally_sim_fail_alloc(play.harness.sim, 0);
}

static void op_read(void)
{
	struct slot *slot = random_slot();

	if (!slot_gone(slot))
		check_slot(slot);
}

static const struct {
	const char *name;
	void (*run)(void);
	unsigned weight;
} ops[] = {
	{"open", op_open, 14},    {"close", op_close, 5},     {"ioctl", op_ioctl, 12},
	{"period", op_period, 1}, {"reset", op_reset, 1},     {"mmap", op_mmap, 3},
	{"drain", op_drain, 6},   {"step", op_step, 6},       {"run", op_run, 20},
	{"prctl", op_prctl, 2},   {"hotplug", op_hotplug, 1}, {"no memory", op_no_memory, 4},
	{"read", op_read, 25},
};

static void random_op(void)
{
	uint64_t at = pick(100);
	unsigned i = 0;

	for (; at >= ops[i].weight; i++)
		at -= ops[i].weight;
	play.op = ops[i].name;
	play.nr_ops++;
	ops[i].run();
}

/* ---- tests -------------------------------------------------------------------------- */

static uint64_t wanted_ops(void)
{
	const char *text = getenv("TALLY_OPERATIONS");

	return text ? strtoull(text, NULL, 0) : 200000 / tier_step(3);
}

/* Print the scripts and the operation that failed. */
static int print_failure(void **state)
{
	char text[128];

	if (!play.op)
		return 0;
	printf("# round %" PRIu64 ", operation %" PRIu64 ": %s\n", play.round, play.nr_ops,
	       play.op);
	for (unsigned i = 0; i < NR_SCRIPTS; i++)
		for (unsigned j = 0; j <= NR_STEPS; j++) {
			tally_sim_step_text(&play.scripts[i][j], text, sizeof(text));
			printf("# script %u: %s\n", i, text);
		}
	return 0;
}

static void run_ops(bool exact)
{
	uint64_t wanted = wanted_ops();

	play.exact = exact;
	play.nr_ops = play.round = play.nr_compared = 0;
	play.random = random_start();
	while (play.nr_ops < wanted) {
		play.round++;
		begin_round();
		for (unsigned i = 0; i < OPS_PER_ROUND; i++)
			random_op();
		end_round();
	}
	printf("# %" PRIu64 " operations in %" PRIu64 " rounds, %" PRIu64
	       " counts held against the truth\n",
	       play.nr_ops, play.round, play.nr_compared);
	assert_true(!exact || play.nr_compared > play.nr_ops / 1000);
	play.op = NULL;
}

/* The core takes no time here, so counts can be compared with the truth. */
static void random_counts_equal_the_truth(void **state)
{
	run_ops(true);
}

/* Here the core takes time and is interrupted. */
static void random_operations_with_interrupts_keep_the_invariants(void **state)
{
	run_ops(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(random_counts_equal_the_truth, print_failure),
		cmocka_unit_test_teardown(random_operations_with_interrupts_keep_the_invariants,
					  print_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
