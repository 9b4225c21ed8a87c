/* SPDX-License-Identifier: BSD-2-Clause */
/* "You can override the weak stub hw_perf_event_init() to register hardware counters." This program
 * overrides the corresponding stub with a PMU that has a single event, which counts how often it is
 * started. */
#include "harness.h"

enum { PORT_TYPE = 50, PORT_EVENT = 1 };

static struct tally_core *host;

static int port_init(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	return hw->attr->config == PORT_EVENT ? 0 : -EINVAL;
}

static int port_add(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->index = 0;
	hw->width = 32;
	return 0;
}

static void port_del(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->index = -1;
}

static void port_start(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->running = true;
	hw->config[0] = tally_core_hw_arm(hw) + 1;
}

static void port_read(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	tally_core_hw_update(hw, hw->config[0] & UINT32_MAX);
}

static void port_stop(struct tally_core_pmu *pmu, struct tally_core_hw *hw)
{
	hw->running = false;
	port_read(pmu, hw);
}

static struct tally_core_pmu port_pmu = {
	.name = "port",
	.type = PORT_TYPE,
	.width = 32,
	.caps = TALLY_PMU_NO_INTERRUPT,
	.init = port_init,
	.add = port_add,
	.del = port_del,
	.start = port_start,
	.stop = port_stop,
	.read = port_read,
};

int tally_core_pmu_init(struct tally_core *core, void *machine)
{
	host = core;
	return tally_core_pmu_register(core, &port_pmu);
}

static void an_overridden_weak_stub_registers_a_pmu(void **state)
{
	struct perf_event_attr attr = {
		.type = PORT_TYPE, .size = sizeof(attr), .config = PORT_EVENT, .disabled = 1};
	struct harness harness;
	uint64_t count;
	int fd;

	harness_begin(&harness, 1, NULL);
	assert_ptr_equal(host, tally_sim_core(harness.sim));
	attr.config = PORT_EVENT + 1;
	assert_int_equal(harness_try(&harness, harness.observer, attr, 0, -1, -1), -EINVAL);
	attr.config = PORT_EVENT;
	fd = harness_try(&harness, harness.observer, attr, -1, 0, -1);
	assert_true(fd >= 0);
	for (int i = 0; i < 3; i++) {
		harness_enable(&harness, fd);
		harness_disable(&harness, fd);
	}
	assert_int_equal(tally_sim_read(harness.sim, harness.observer, fd, &count, sizeof(count)),
			 8);
	assert_int_equal(count, 3);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_overridden_weak_stub_registers_a_pmu)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
