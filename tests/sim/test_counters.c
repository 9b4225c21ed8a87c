/* SPDX-License-Identifier: BSD-2-Clause */
/* Compare counters with true counts, and test the assignment of counters to events. */
#include "test_machine.h"

static const struct tally_sim_rates busy = {
	.per_ms = {[SIM_CYCLES] = 3000000, [SIM_INSTRUCTIONS] = 1234567, [SIM_BRANCHES] = 200001}};

static const struct tally_sim_step mixed[] = {
	SIM_LOOP(0),
	SIM_RUN(SIM_USER, 1001, &busy),
	SIM_RUN(SIM_KERNEL, 499, &busy),
	SIM_RUN(SIM_HYPERVISOR, 97, &busy),
	SIM_RUN(SIM_GUEST_USER, 211, &busy),
	SIM_RUN(SIM_GUEST_KERNEL, 83, &busy),
	SIM_SLEEP(300),
	SIM_END_LOOP(),
};

static struct perf_event_attr raw(uint64_t signal)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_RAW, .size = sizeof(struct perf_event_attr), .config = signal};
}

static uint64_t read_of(struct tally_sim *sim, struct tally_sim_task *task, int fd)
{
	uint64_t count = 0;

	assert_int_equal(tally_sim_read(sim, task, fd, &count, sizeof(count)), 8);
	return count;
}

/* Counters of every width match the true counts over many wraps. */
static void counters_of_every_width_follow_the_truth(void **state)
{
	for (uint8_t width = 8; width <= 64; width++) {
		struct tally_sim_pmu pmu = {
			.name = "cpu", .type = 6, .core = true, .nr_generic = 2, .width = width};
		struct tally_sim *sim = machine(&(struct tally_sim_config){
			.nr_cpus = 1, .pmus = &pmu, .nr_pmus = 1, .idle = &busy});
		struct tally_sim_task *task = spawn(sim, mixed, 0);
		struct perf_event_attr attr = raw(SIM_CYCLES);
		int fd = tally_sim_open(sim, task, &attr, 0, 0, -1, 0);
		uint64_t wraps = width < 63 ? (6000000ull >> (width - 1)) : 0;

		assert_true(fd >= 0);
		tally_sim_run(sim, 2 * MS);
		assert_int_equal(read_of(sim, task, fd), truth_of(sim, NULL, SIM_CYCLES));
		/* The counter overflows after each half of its range, with a skid of less than a
		 * nanosecond. */
		assert_in_range(tally_sim_event(sim, task, fd)->overflows, wraps - wraps / 50,
				wraps);
		machine_end(sim);
	}
}

/* The interrupt occurs in the nanosecond in which the counter wraps, or `skid` later. The counter
 * advances in the meantime. */
static void overflows_interrupt_at_the_exact_time(void **state)
{
	static const struct tally_sim_step script[] = {SIM_RUN(SIM_USER, 10 * MS, &busy),
						       SIM_EXIT()};

	for (uint32_t skid = 0; skid <= 500; skid += 250) {
		struct tally_sim_pmu pmu = {.name = "cpu",
					    .type = 6,
					    .core = true,
					    .nr_generic = 1,
					    .width = 48,
					    .skid_ns = skid};
		struct tally_sim *sim = machine(
			&(struct tally_sim_config){.nr_cpus = 1, .pmus = &pmu, .nr_pmus = 1});
		struct tally_sim_task *task = spawn(sim, script, 0);
		struct perf_event_attr attr = raw(SIM_INSTRUCTIONS);
		int fd;

		attr.sample_period = 10000;
		fd = tally_sim_open(sim, task, &attr, 0, 0, -1, 0);
		assert_true(fd >= 0);
		tally_sim_run(sim, MS);
		/* 10,000 instructions need ceil(10000e6 / 1234567) ns. */
		assert_int_equal(fake_call(tally_sim_core(sim), FAKE_OVERFLOW, 0)->time,
				 8101 + skid);
		assert_int_equal(read_of(sim, task, fd), truth_of(sim, task, SIM_INSTRUCTIONS));
		machine_end(sim);
	}
}

/* Check the exclude_* bits, which the driver translates to modes. */
static void excluded_modes_are_not_counted(void **state)
{
	enum {
		U = 1 << SIM_USER,
		K = 1 << SIM_KERNEL,
		H = 1 << SIM_HYPERVISOR,
		GK = 1 << SIM_GUEST_KERNEL,
		GU = 1 << SIM_GUEST_USER,
		I = 1 << SIM_IDLE
	};
	static const struct {
		struct perf_event_attr attr;
		uint32_t modes;
	} rows[] = {
		{{0}, U | K | H | GK | GU | I},
		{{.exclude_user = 1}, K | H | GK | I},
		{{.exclude_kernel = 1}, U | H | GU},
		{{.exclude_hv = 1}, U | K | GK | GU | I},
		{{.exclude_idle = 1}, U | K | H | GK | GU},
		{{.exclude_host = 1}, GK | GU},
		{{.exclude_guest = 1}, U | K | H | I},
		{{.exclude_kernel = 1, .exclude_hv = 1, .exclude_guest = 1}, U},
	};
	struct tally_sim_pmu pmu = {
		.name = "cpu", .type = 6, .core = true, .nr_generic = 8, .width = 40};
	struct tally_sim *sim = machine(&(struct tally_sim_config){
		.nr_cpus = 1, .pmus = &pmu, .nr_pmus = 1, .idle = &busy});
	struct tally_sim_task *task = spawn(sim, mixed, 0);
	int fds[8];

	for (unsigned i = 0; i < 8; i++) {
		struct perf_event_attr attr = rows[i].attr;

		attr.type = PERF_TYPE_RAW;
		attr.config = SIM_BRANCHES;
		fds[i] = tally_sim_open(sim, task, &attr, 0, 0, -1, 0);
		assert_true(fds[i] >= 0);
	}
	tally_sim_run(sim, 5 * MS + 17);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(read_of(sim, task, fds[i]),
				 tally_sim_truth(sim,
						 (struct tally_sim_filter){.modes = rows[i].modes},
						 SIM_BRANCHES));
	machine_end(sim);
}

/* If the constraints allow an assignment, all events get counters, regardless of the order in which
 * they are opened. Otherwise opening fails. */
static void events_get_counters_if_there_is_an_assignment(void **state)
{
	static const struct tally_sim_pmu pmu = {.name = "cpu",
						 .type = 6,
						 .core = true,
						 .nr_generic = 2,
						 .nr_fixed = 1,
						 .fixed = {SIM_CYCLES},
						 .width = 48,
						 .constraint = {[SIM_BRANCHES] = 1 << 0},
						 .absent = 1 << SIM_BUS_CYCLES};
	static const struct {
		uint64_t signals[4];
		unsigned nr;
		int last; /* result of opening the last event; 0 if it succeeds */
	} rows[] = {
		{{SIM_CYCLES, SIM_CYCLES, SIM_CYCLES}, 3, 0},
		{{SIM_CYCLES, SIM_INSTRUCTIONS, SIM_BRANCHES}, 3, 0},
		{{SIM_BRANCHES, SIM_CYCLES, SIM_INSTRUCTIONS}, 3, 0},
		{{SIM_INSTRUCTIONS, SIM_INSTRUCTIONS, SIM_INSTRUCTIONS}, 3, -EBUSY},
		{{SIM_BRANCHES, SIM_BRANCHES}, 2, -EBUSY},
		{{SIM_CYCLES, SIM_INSTRUCTIONS, SIM_BRANCHES, SIM_CYCLES}, 4, -ENOSPC},
		{{SIM_BUS_CYCLES}, 1, -EINVAL},
		{{SIM_NR_HW}, 1, -EINVAL},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tally_sim *sim = machine(
			&(struct tally_sim_config){.nr_cpus = 1, .pmus = &pmu, .nr_pmus = 1});
		struct tally_sim_task *task = spawn(sim, mixed, 0);

		for (unsigned j = 0; j < rows[i].nr; j++) {
			struct perf_event_attr attr = raw(rows[i].signals[j]);
			int fd = tally_sim_open(sim, task, &attr, 0, 0, -1, 0);

			if (j == rows[i].nr - 1 && rows[i].last)
				assert_int_equal(fd, rows[i].last);
			else
				assert_true(fd >= 0);
		}
		machine_end(sim);
	}
}

/* fits() assumes an empty CPU, and a transaction assigns counters to all events together. */
static void transactions_assign_all_events_together(void **state)
{
	static const struct tally_sim_pmu desc = {.name = "cpu",
						  .type = 6,
						  .nr_generic = 2,
						  .width = 48,
						  .constraint = {[SIM_BRANCHES] = 1 << 1}};
	struct tally_sim *sim =
		machine(&(struct tally_sim_config){.nr_cpus = 1, .pmus = &desc, .nr_pmus = 1});
	struct tally_core_pmu *pmu = tally_sim_core(sim)->pmus[0];
	struct perf_event_attr attrs[3] = {{.type = 6, .config = SIM_CYCLES},
					   {.type = 6, .config = SIM_BRANCHES},
					   {.type = 6, .config = SIM_CYCLES}};
	struct tally_core_hw hws[3], *all[3];
	uintptr_t flags = tally_sim_core(sim)->ops->irq_save(sim);

	for (unsigned i = 0; i < 3; i++) {
		hws[i] = (struct tally_core_hw){.attr = &attrs[i]};
		all[i] = &hws[i];
		assert_int_equal(pmu->init(pmu, &hws[i]), 0);
		assert_int_equal(hws[i].width, 48);
	}
	assert_int_equal(pmu->fits(pmu, all, 2), 0);
	assert_int_equal(pmu->fits(pmu, all, 3), -EINVAL);
	/* If events were assigned one at a time, cycles would take the counter that the branches
	 * event needs. */
	pmu->begin(pmu);
	assert_int_equal(pmu->add(pmu, &hws[0]), 0);
	assert_int_equal(pmu->add(pmu, &hws[1]), 0);
	assert_int_equal(pmu->commit(pmu), 0);
	assert_int_equal(hws[0].index, 0);
	assert_int_equal(hws[1].index, 1);
	pmu->begin(pmu);
	assert_int_equal(pmu->add(pmu, &hws[2]), 0);
	assert_int_equal(pmu->commit(pmu), -ENOSPC);
	pmu->del(pmu, &hws[2]);
	pmu->cancel(pmu);
	pmu->del(pmu, &hws[0]);
	pmu->del(pmu, &hws[1]);
	assert_int_equal(pmu->add(pmu, &hws[2]), 0);
	pmu->del(pmu, &hws[2]);
	tally_sim_core(sim)->ops->irq_restore(sim, flags);
	machine_end(sim);
}

/* Two PMUs count at the same time. One of them does not support the generic events. */
static void two_pmus_count_at_the_same_time(void **state)
{
	static const struct tally_sim_pmu pmus[] = {
		{.name = "cpu", .type = 6, .core = true, .nr_generic = 1, .width = 32},
		{.name = "uncore", .type = 7, .nr_generic = 1, .width = 20},
	};
	struct tally_sim *sim = machine(&(struct tally_sim_config){
		.nr_cpus = 2, .pmus = pmus, .nr_pmus = 2, .idle = &busy});
	struct tally_sim_task *task = spawn(sim, mixed, 1);
	struct perf_event_attr attr = raw(SIM_CYCLES), other = {.type = 7, .config = SIM_CYCLES};
	int core = tally_sim_open(sim, task, &attr, 0, 1, -1, 0);
	int uncore = tally_sim_open(sim, task, &other, 0, 0, -1, 0);

	assert_true(core >= 0 && uncore >= 0);
	tally_sim_run(sim, MS);
	assert_int_equal(read_of(sim, task, core),
			 tally_sim_truth(sim, (struct tally_sim_filter){.cpus = 2}, SIM_CYCLES));
	assert_int_equal(read_of(sim, task, uncore),
			 tally_sim_truth(sim, (struct tally_sim_filter){.cpus = 1}, SIM_CYCLES));
	machine_end(sim);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_every_width_follow_the_truth),
		cmocka_unit_test(overflows_interrupt_at_the_exact_time),
		cmocka_unit_test(excluded_modes_are_not_counted),
		cmocka_unit_test(events_get_counters_if_there_is_an_assignment),
		cmocka_unit_test(transactions_assign_all_events_together),
		cmocka_unit_test(two_pmus_count_at_the_same_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
