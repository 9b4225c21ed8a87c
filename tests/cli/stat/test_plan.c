/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compare plans with the simulated machine: the client opens random events on random PMUs, and the
 * test measures the share of time that each event was on a counter. Set TALLY_SEED to repeat a run.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "cli/stat/plan_run.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_task.h"
#include "tally/client.h"

#include "../../core/sim_transport.h"

#include <cmocka.h>

enum { MS = 1000000, MAX_EVENTS = 12, ROUNDS = 60, NO_GENERIC = 1u << 31 };

/* Groups of events for a random PMU. The PMU's generic counters are numbered without gaps. */
struct random_plan {
	struct tally_event_counters all;
	struct tally_event_spec specs[MAX_EVENTS];
	struct stat_plan_event events[MAX_EVENTS];
	size_t nr;
};

static unsigned seed = 1;

static unsigned below(unsigned n)
{
	return (unsigned)rand_r(&seed) % n;
}

/* Make a random plan. Each fixed counter has an event of its own, so a machine signal can represent
 * each kind of event. */
static void random_plan_make(struct random_plan *random_plan)
{
	unsigned generic = 1 + below(5);

	*random_plan =
		(struct random_plan){.all = {(uint16_t)((1u << generic) - 1), (uint8_t)below(4)},
				     .nr = 1 + below(MAX_EVENTS)};
	for (size_t i = 0; i < random_plan->nr; i++) {
		bool joins = i && below(2);
		struct tally_event_counters can = {(uint16_t)(1 + below(random_plan->all.generic)),
						   0};

		if (!below(3)) {
			can = random_plan->all;
			can.fixed &= (uint8_t)(1u << below(2));
		}
		random_plan->specs[i].weak_group = true;
		random_plan->specs[i].attr.pinned = !joins && !below(12);
		random_plan->events[i] = (struct stat_plan_event){
			.spec = &random_plan->specs[i],
			.can = can,
			.leader = joins ? random_plan->events[i - 1].leader : i,
		};
	}
}

/* Assign signals with the constraints of the plan's events. Signals 14 and 15 are for events that
 * may use a fixed counter; each of the other events has its own signal. */
static void signals_set(const struct random_plan *random_plan, struct tally_sim_pmu *pmu,
			struct tally_event_spec *specs)
{
	pmu->fixed[0] = random_plan->all.fixed & 1 ? 14 : SIM_NR_HW;
	pmu->fixed[1] = random_plan->all.fixed & 2 ? 15 : SIM_NR_HW;
	for (size_t i = 0; i < random_plan->nr; i++) {
		const struct stat_plan_event *event = &random_plan->events[i];
		unsigned signal = event->can.fixed ? 13u + event->can.fixed : (unsigned)i;

		pmu->constraint[signal] = event->can.generic ? event->can.generic : NO_GENERIC;
		specs[i] = (struct tally_event_spec){
			.attr = {.type = PERF_TYPE_RAW,
				 .config = signal,
				 .pinned = event->spec->attr.pinned,
				 .exclude_kernel = 1,
				 .exclude_hv = 1},
			.weak_group = true,
			.in_braces = true,
			.leader = (uint32_t)event->leader,
		};
	}
}

static void shares_read(struct tally_counters *counters, size_t nr, double *ret_shares)
{
	struct tally_count count;

	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(tally_counters_read(counters, i, 0, 0, &count), 0);
		ret_shares[i] = count.enabled ? (double)count.running / (double)count.enabled : 0;
	}
}

/* Open the plan's events through the client on a simulated machine, and measure the share of time
 * that each event was on a counter. */
static void random_plan_run(const struct random_plan *random_plan, double shares[MAX_EVENTS])
{
	static const struct tally_sim_rates rates = {.per_ms = {1000, 2000, 3000, 4000}};
	static const struct tally_sim_step script[] = {
		SIM_LOOP(0),
		SIM_RUN(SIM_USER, 3 * MS + 17, &rates),
		SIM_END_LOOP(),
	};
	struct tally_sim_pmu pmu = {
		.name = "cpu",
		.type = PERF_TYPE_RAW,
		.core = true,
		.nr_generic = (uint8_t)__builtin_popcount(random_plan->all.generic),
		.nr_fixed = 2,
		.width = 40,
	};
	struct tally_event_spec specs[MAX_EVENTS];
	struct tally_event_list list = {.specs = specs, .nr = random_plan->nr};
	struct sim_transport transport;
	struct tally_sim_task *task;
	struct tally_counters *counters;
	struct tally_threads *threads;
	struct tally_cpus *cpus;
	struct tally_sim *sim;

	signals_set(random_plan, &pmu, specs);
	assert_int_equal(
		tally_sim_create(
			&(struct tally_sim_config){.nr_cpus = 1, .pmus = &pmu, .nr_pmus = 1}, &sim),
		0);
	task = tally_sim_task_new(sim, &(struct tally_sim_spawn){.script = script});
	sim_transport_init(&transport, sim, task);
	assert_int_equal(tally_cpus_any(&cpus), 0);
	assert_int_equal(tally_threads_of_tid(tally_sim_task_tid(task), &threads), 0);
	assert_int_equal(tally_counters_open(&transport.transport, &list, cpus, threads,
					     &(struct tally_open_options){.disabled = false},
					     &counters, NULL),
			 0);
	tally_sim_run(sim, 9000ull * MS);
	shares_read(counters, random_plan->nr, shares);
	assert_null(tally_sim_violation(sim));
	tally_counters_close(counters);
	assert_int_equal(tally_sim_destroy(sim), 0);
	free(threads);
	free(cpus);
}

static bool group_fits(const struct random_plan *random_plan, size_t leader)
{
	struct tally_event_counters needs[MAX_EVENTS];
	size_t nr = 0;

	for (size_t i = leader; i < random_plan->nr && random_plan->events[i].leader == leader; i++)
		needs[nr++] = random_plan->events[i].can;
	return tally_event_counters_fit(needs, nr, random_plan->all);
}

static void plans_match_the_simulated_machine(void **state)
{
	size_t shared = 0, alone = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct random_plan random_plan;
		double shares[MAX_EVENTS];
		struct stat_plan plan;

		random_plan_make(&random_plan);
		plan = (struct stat_plan){random_plan.all, random_plan.events, random_plan.nr, 0};
		assert_int_equal(stat_plan_run(&plan), 0);
		random_plan_run(&random_plan, shares);
		for (size_t i = 0; i < random_plan.nr; i++) {
			const struct stat_plan_event *event = &random_plan.events[i];

			if (event->share < shares[i] - 0.01 || event->share > shares[i] + 0.01)
				print_message("# round %d event %zu: planned %f, got %f\n", round,
					      i, event->share, shares[i]);
			assert_int_equal(event->refused, 0);
			assert_in_range((long)(1000 * (1 + event->share - shares[i])), 990, 1010);
			if (event->alone)
				assert_false(group_fits(&random_plan, event->leader));
			shared += event->share > 0.01 && event->share < 0.99;
			alone += event->alone;
		}
		assert_in_range(plan.passes, 1, 2 * MAX_EVENTS);
	}
	print_message("# %zu events shared a counter, %zu were taken out of their group\n", shared,
		      alone);
	assert_true(shared > ROUNDS && alone > ROUNDS / 4);
}

/* There are more kinds of constraints than the machine has signals. */
static void too_many_kinds_are_refused(void **state)
{
	struct tally_event_spec spec = {.weak_group = true};
	struct stat_plan_event events[20];
	struct stat_plan plan = {{0x1f, 0}, events, 20, 0};

	for (size_t i = 0; i < 20; i++)
		events[i] = (struct stat_plan_event){
			.spec = &spec, .can = {(uint16_t)(i + 1), 0}, .leader = i};
	assert_int_equal(stat_plan_run(&plan), -E2BIG);
	plan.nr = 16;
	assert_int_equal(stat_plan_run(&plan), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plans_match_the_simulated_machine),
		cmocka_unit_test(too_many_kinds_are_refused),
	};
	const char *given = getenv("TALLY_SEED");

	seed = given ? (unsigned)atoi(given) : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
