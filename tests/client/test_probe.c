/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probe machines with known properties. A fake PMU reproduces the states found on virtual machines
 * and on busy machines; for the other tests, the core runs on the simulated machine.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "abi/attr.h"
#include "base/arith.h"
#include "client/client_probe.h"
#include "hosts/sim/sim_loop.h"
#include "hosts/sim/sim_task.h"

#include "../core/sim_transport.h"

enum { FIRST_FD = 50, FDS = 128, PAGE = 4096 };

/* ---- a fake PMU ---------------------------------------------------------------- */

struct event {
	bool open, enabled;
	int leader; /* index, or -1 */
	struct perf_event_attr attr;
	struct perf_event_mmap_page *page;
	uint64_t value, enabled_ns, running_ns;
};

struct fake {
	struct tally_transport transport;
	struct tally_probe_work work;
	/* Properties of the machine. */
	int filter;       /* error from every open; 0 for none */
	int refuse;       /* error from opens with a valid attr; 0 for none */
	int hardware;     /* error from opens of hardware events; 0 for none */
	int sampling;     /* error from opens of sampling events; 0 for none */
	bool only_cycles; /* hardware events other than cycles are not supported */
	unsigned slots, taken, limit;
	unsigned turns;              /* groups count for this many tenths of the time; 0: always */
	bool stuck, deaf;            /* never counts; never interrupts */
	bool no_ring, lax;           /* mmap fails; groups that can never fit are accepted */
	unsigned max_precise, exact; /* highest accepted level; highest delivered level */
	/* Results. */
	struct event events[FDS];
	unsigned nr_open, nr_mapped, most_open;
	uint64_t worked;
};

static unsigned group_size(const struct fake *fake, int leader)
{
	unsigned nr = 0;

	for (int i = 0; i < FDS; i++)
		nr += fake->events[i].open && fake->events[i].leader == leader;
	return nr;
}

static int attr_rule(const struct fake *fake, const struct perf_event_attr *attr, int leader)
{
	if (attr->type != PERF_TYPE_HARDWARE)
		return 0;
	if (fake->hardware)
		return fake->hardware;
	if (fake->only_cycles && attr->config != PERF_COUNT_HW_CPU_CYCLES)
		return -ENOENT;
	if (attr->sample_period && fake->sampling)
		return fake->sampling;
	if (attr->precise_ip > fake->max_precise)
		return -EOPNOTSUPP;
	/* The group check ignores a leader that is disabled and does not set enable_on_exec. */
	if (leader >= 0 && !fake->lax &&
	    group_size(fake, leader) >= fake->slots + !fake->events[leader].attr.enable_on_exec)
		return -EINVAL;
	return 0;
}

static int fake_open(const struct tally_transport *transport, struct perf_event_attr *attr,
		     int32_t pid, int32_t cpu, int group_fd, unsigned long flags)
{
	struct fake *fake = transport->private_data;
	int leader = group_fd < 0 ? -1 : group_fd - FIRST_FD, ret, index = 0;

	if (fake->filter)
		return fake->filter;
	if (flags & ~0xful)
		return -EINVAL;
	if (attr->size > sizeof(*attr)) {
		attr->size = PERF_ATTR_SIZE_VER7;
		return -E2BIG;
	}
	if (attr->__reserved_1)
		return -EINVAL;
	if (fake->refuse)
		return fake->refuse;
	if (pid)
		return -ESRCH;
	ret = attr_rule(fake, attr, leader);
	if (ret)
		return ret;
	if (fake->limit && fake->nr_open >= fake->limit)
		return -EMFILE;
	while (fake->events[index].open)
		index++;
	assert_true(index < FDS);
	fake->events[index] = (struct event){
		.open = true,
		.enabled = !attr->disabled,
		.leader = leader < 0 ? index : leader,
		.attr = *attr,
	};
	fake->nr_open++;
	fake->most_open = TALLY_MAX(fake->most_open, fake->nr_open);
	return FIRST_FD + index;
}

static struct event *event_of(const struct tally_transport *transport, int fd)
{
	struct fake *fake = transport->private_data;

	assert_in_range(fd, FIRST_FD, FIRST_FD + FDS - 1);
	assert_true(fake->events[fd - FIRST_FD].open);
	return &fake->events[fd - FIRST_FD];
}

static int fake_close(const struct tally_transport *transport, int fd)
{
	event_of(transport, fd)->open = false;
	((struct fake *)transport->private_data)->nr_open--;
	return 0;
}

static int64_t fake_read(const struct tally_transport *transport, int fd, void *to, size_t len)
{
	const struct event *event = event_of(transport, fd);
	uint64_t words[3] = {event->value, event->enabled_ns, event->running_ns};

	assert_int_equal(len, sizeof(words));
	memcpy(to, words, sizeof(words));
	return sizeof(words);
}

static int fake_ioctl(const struct tally_transport *transport, int fd, unsigned long request,
		      uintptr_t arg)
{
	struct event *event = event_of(transport, fd);

	assert_true(request == PERF_EVENT_IOC_ENABLE || request == PERF_EVENT_IOC_DISABLE);
	event->enabled = request == PERF_EVENT_IOC_ENABLE;
	return 0;
}

static int fake_mmap(const struct tally_transport *transport, int fd, size_t len, bool writable,
		     void **ret_memory)
{
	struct fake *fake = transport->private_data;

	if (fake->no_ring)
		return -EPERM;
	event_of(transport, fd)->page = *ret_memory = calloc(1, len);
	assert_non_null(*ret_memory);
	fake->nr_mapped++;
	return 0;
}

static int fake_munmap(const struct tally_transport *transport, void *memory, size_t len)
{
	((struct fake *)transport->private_data)->nr_mapped--;
	free(memory);
	return 0;
}

static void fake_samples(const struct fake *fake, struct event *event)
{
	struct perf_event_header header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 16};

	if (event->attr.precise_ip && event->attr.precise_ip <= fake->exact)
		header.misc |= PERF_RECORD_MISC_EXACT_IP;
	memcpy((char *)event->page + PAGE, &header, sizeof(header));
	event->page->data_head = event->value / event->attr.sample_period * header.size;
}

/* Count one cycle per nanosecond for each group that fits on the free counters. */
static void fake_work(void *arg, uint64_t ns)
{
	struct fake *fake = arg;

	fake->worked += ns;
	for (int i = 0; i < FDS; i++) {
		struct event *event = &fake->events[i];

		if (!event->open || event->leader != i || !event->enabled)
			continue;
		event->enabled_ns += ns;
		if (group_size(fake, i) + fake->taken > fake->slots)
			continue;
		event->running_ns += fake->turns ? ns / 10 * fake->turns : ns;
		event->value = fake->stuck ? 0 : event->running_ns;
		if (event->page && !fake->deaf && event->attr.sample_period)
			fake_samples(fake, event);
	}
}

static struct tally_pmu_probe probe(struct fake *fake)
{
	struct tally_pmu_probe probed;

	fake->transport = (struct tally_transport){
		.name = "fake",
		.open = fake_open,
		.close = fake_close,
		.read = fake_read,
		.ioctl = fake_ioctl,
		.mmap = fake_mmap,
		.munmap = fake_munmap,
		.private_data = fake,
	};
	fake->work = (struct tally_probe_work){fake_work, fake};
	probed = tally_probe_pmu(&fake->transport, &fake->work);
	/* Probing must leave nothing open, and must be fast enough for doctor. */
	assert_int_equal(fake->nr_open, 0);
	assert_int_equal(fake->nr_mapped, 0);
	assert_true(fake->worked <= 100000000);
	return probed;
}

static void each_pmu_state_is_detected(void **state)
{
	static const struct {
		struct fake fake;
		enum tally_pmu_state state;
		int code;
		unsigned slots, slots_free;
		const char *event;
	} rows[] = {
		{{.hardware = -ENOENT}, TALLY_PMU_ABSENT, -ENOENT, 0, 0, NULL},
		{{.hardware = -EOPNOTSUPP}, TALLY_PMU_ABSENT, -EOPNOTSUPP, 0, 0, NULL},
		{{.hardware = -EACCES}, TALLY_PMU_UNKNOWN, -EACCES, 0, 0, NULL},
		{{.refuse = -EACCES}, TALLY_PMU_UNKNOWN, -EACCES, 0, 0, NULL},
		{{.filter = -EPERM}, TALLY_PMU_UNKNOWN, -EPERM, 0, 0, NULL},
		{{.filter = -ENOSYS}, TALLY_PMU_UNKNOWN, -ENOSYS, 0, 0, NULL},
		{{.slots = 4, .stuck = true}, TALLY_PMU_STUCK, 0, 0, 0, "cycles"},
		{{.slots = 4, .taken = 4}, TALLY_PMU_TAKEN, 0, 4, 0, "cycles"},
		{{.slots = 4, .only_cycles = true, .taken = 4}, TALLY_PMU_TAKEN, 0, 4, 0, "cycles"},
		{{.slots = 4, .only_cycles = true}, TALLY_PMU_SAMPLES, 0, 4, 4, "cycles"},
		{{.slots = 4, .sampling = -EOPNOTSUPP},
		 TALLY_PMU_COUNTS_ONLY,
		 -EOPNOTSUPP,
		 4,
		 4,
		 "cycles"},
		{{.slots = 4, .deaf = true}, TALLY_PMU_COUNTS_ONLY, 0, 4, 4, "cycles"},
		{{.slots = 4}, TALLY_PMU_SAMPLES, 0, 4, 4, "cycles"},
		{{.slots = 1}, TALLY_PMU_SAMPLES, 0, 1, 1, "cycles"},
		{{.slots = 6, .taken = 1}, TALLY_PMU_SAMPLES, 0, 6, 5, "cycles"},
		{{.slots = 6, .taken = 5}, TALLY_PMU_SAMPLES, 0, 6, 1, "cycles"},
		{{.slots = 31, .taken = 20}, TALLY_PMU_SAMPLES, 0, 31, 11, "cycles"},
		{{.slots = 6, .taken = 2, .lax = true}, TALLY_PMU_SAMPLES, 0, 0, 4, "cycles"},
		{{.slots = 8, .limit = 3}, TALLY_PMU_SAMPLES, 0, 0, 3, "cycles"},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct fake fake = rows[i].fake;
		struct tally_pmu_probe probed = probe(&fake);

		print_message("# row %zu: %s, %u of %u slots free\n", i,
			      tally_pmu_state_name(probed.state), probed.slots_free, probed.slots);
		assert_int_equal(probed.state, rows[i].state);
		assert_int_equal(probed.code, rows[i].code);
		assert_int_equal(probed.slots, rows[i].slots);
		assert_int_equal(probed.slots_free, rows[i].slots_free);
		assert_int_equal(!probed.event, !rows[i].event);
		if (probed.event)
			assert_string_equal(probed.event, rows[i].event);
	}
}

static void pmu_details(void **state)
{
	struct fake turns = {.slots = 4, .turns = 5}, deaf = {.slots = 4, .deaf = true};
	struct fake no_ring = {.slots = 4, .no_ring = true},
		    precise = {.slots = 4, .max_precise = 2, .exact = 2},
		    pretends = {.slots = 4, .max_precise = 3};
	struct tally_pmu_probe probed = probe(&turns);

	assert_true(probed.shares);
	probed = probe(&deaf);
	assert_true(probed.no_interrupt);
	probed = probe(&no_ring);
	assert_int_equal(probed.state, TALLY_PMU_SAMPLES);
	assert_true(probed.unproved);
	assert_false(probed.no_interrupt);
	probed = probe(&precise);
	assert_int_equal(probed.precise, 2);
	assert_false(probed.shares);
	assert_int_equal(probe(&pretends).precise, 0);
}

/* ---- source of the error ------------------------------------------------------- */

#define UNKNOWN TALLY_PROBE_UNKNOWN

static void the_source_of_errors_is_found(void **state)
{
	static const struct {
		struct fake fake;
		bool has_sysctl;
		enum tally_probe_syscall door;
		int code;
		uint32_t size;
		enum tally_probe_answer sigtrap;
	} rows[] = {
		{{.filter = 0}, true, TALLY_SYSCALL_ACCEPTS, 0, 128, TALLY_PROBE_YES},
		{{.refuse = -EACCES}, true, TALLY_SYSCALL_REJECTS, -EACCES, 128, TALLY_PROBE_YES},
		{{.refuse = -EPERM}, true, TALLY_SYSCALL_REJECTS, -EPERM, 128, TALLY_PROBE_YES},
		{{.filter = -EPERM}, true, TALLY_SYSCALL_FILTERED, -EPERM, 0, UNKNOWN},
		{{.filter = -ENOSYS}, true, TALLY_SYSCALL_FILTERED, -ENOSYS, 0, UNKNOWN},
		{{.filter = -ENOSYS}, false, TALLY_SYSCALL_MISSING, -ENOSYS, 0, UNKNOWN},
		{{.filter = -ENODEV}, false, TALLY_SYSCALL_FILTERED, -ENODEV, 0, UNKNOWN},
		{{.filter = -EACCES}, true, TALLY_SYSCALL_REJECTS, -EACCES, 0, UNKNOWN},
	};

	for (size_t i = 0; i < TALLY_ARRAY_SIZE(rows); i++) {
		struct fake fake = rows[i].fake;
		const struct tally_probe_feature *sigtrap = tally_probe_features;
		struct tally_probe_call call;

		probe(&fake);
		call = tally_probe_call(&fake.transport, rows[i].has_sysctl);
		while (strcmp(sigtrap->id, "sigtrap"))
			sigtrap++;
		assert_int_equal(call.door, rows[i].door);
		assert_int_equal(call.code, rows[i].code);
		assert_int_equal(call.attr_size, rows[i].size);
		assert_int_equal(tally_probe_feature(&fake.transport, &call, sigtrap),
				 rows[i].sigtrap);
		assert_int_equal(fake.nr_open, 0);
	}
}

/* Every row of the table names existing fields, has a unique ID and can be probed. */
static void features_are_well_formed(void **state)
{
	for (size_t i = 0; i < tally_probe_nr_features; i++) {
		const struct tally_probe_feature *row = &tally_probe_features[i];

		for (size_t f = 0; f < TALLY_ARRAY_SIZE(row->set) && row->set[f].field; f++)
			assert_non_null(tally_attr_find_field(row->set[f].field));
		assert_true(row->set[0].field && *row->title && strchr(row->since, '.'));
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(row->id, tally_probe_features[other].id);
	}
}

/* ---- the core as the kernel ------------------------------------------------------- */

struct world {
	struct tally_sim *sim;
	struct sim_transport mine, others;
};

static void sim_work(void *arg, uint64_t ns)
{
	tally_sim_run(arg, ns);
}

static void world_make(struct world *world, uint32_t caps, uint8_t nr_generic)
{
	static const struct tally_sim_rates busy = {.per_ms = {3000000, 4000000, 0, 0, 500000}};
	static const struct tally_sim_step script[] = {
		SIM_LOOP(0),
		SIM_RUN(SIM_USER, 1000000, &busy),
		SIM_END_LOOP(),
	};
	const struct tally_sim_pmu pmu = {
		.name = "cpu",
		.type = PERF_TYPE_RAW,
		.core = true,
		.nr_generic = nr_generic,
		.width = 48,
		.caps = caps,
	};
	struct tally_sim_task *mine;

	assert_int_equal(tally_sim_create(&(struct tally_sim_config){.nr_cpus = 1,
								     .pmus = &pmu,
								     .nr_pmus = nr_generic > 0},
					  &world->sim),
			 0);
	mine = tally_sim_task_new(world->sim,
				  &(struct tally_sim_spawn){.script = script, .memlock = 1 << 20});
	sim_transport_init(&world->mine, world->sim, mine);
	/* A sleeping task with all capabilities. */
	sim_transport_init(
		&world->others, world->sim,
		tally_sim_task_new(world->sim, &(struct tally_sim_spawn){.caps = ~0ull}));
}

static struct tally_pmu_probe world_probe(struct world *world)
{
	const struct tally_probe_work work = {sim_work, world->sim};

	return tally_probe_pmu(&world->mine.transport, &work);
}

static void core_slots(void **state)
{
	enum { SLOTS = 5 };

	for (unsigned taken = 0; taken <= SLOTS; taken++) {
		struct perf_event_attr pinned = {.type = PERF_TYPE_HARDWARE,
						 .size = sizeof(pinned),
						 .config = PERF_COUNT_HW_INSTRUCTIONS,
						 .pinned = 1};
		struct world world;
		struct tally_pmu_probe probed;

		world_make(&world, 0, SLOTS);
		for (unsigned i = 0; i < taken; i++)
			assert_true(world.others.transport.open(&world.others.transport, &pinned,
								-1, 0, -1, 0) >= 0);
		probed = world_probe(&world);
		print_message("# %u of %u taken: %s, %u free\n", taken, SLOTS,
			      tally_pmu_state_name(probed.state), probed.slots_free);
		assert_int_equal(probed.state, taken < SLOTS ? TALLY_PMU_SAMPLES : TALLY_PMU_TAKEN);
		assert_int_equal(probed.slots_free, SLOTS - taken);
		assert_null(tally_sim_violation(world.sim));
		assert_int_equal(tally_sim_destroy(world.sim), 0);
	}
}

static void core_without_interrupts(void **state)
{
	struct world world;
	struct tally_pmu_probe probed;

	world_make(&world, TALLY_PMU_NO_INTERRUPT, 3);
	probed = world_probe(&world);
	assert_int_equal(probed.state, TALLY_PMU_COUNTS_ONLY);
	assert_int_equal(probed.code, -EOPNOTSUPP);
	assert_int_equal(probed.slots_free, 3);
	assert_int_equal(tally_sim_destroy(world.sim), 0);
}

static void core_without_pmu(void **state)
{
	struct world world;
	struct tally_probe_call call;
	size_t known = 0;

	world_make(&world, 0, 0);
	assert_int_equal(world_probe(&world).state, TALLY_PMU_ABSENT);
	call = tally_probe_call(&world.mine.transport, true);
	assert_int_equal(call.door, TALLY_SYSCALL_ACCEPTS);
	assert_int_equal(call.attr_size, PERF_ATTR_SIZE_VER9);
	for (size_t i = 0; i < tally_probe_nr_features; i++)
		known += tally_probe_feature(&world.mine.transport, &call,
					     &tally_probe_features[i]) == TALLY_PROBE_YES;
	print_message("# the core knows %zu of %zu features\n", known, tally_probe_nr_features);
	assert_true(known > tally_probe_nr_features / 2);
	assert_int_equal(tally_sim_destroy(world.sim), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_pmu_state_is_detected),
		cmocka_unit_test(pmu_details),
		cmocka_unit_test(the_source_of_errors_is_found),
		cmocka_unit_test(features_are_well_formed),
		cmocka_unit_test(core_slots),
		cmocka_unit_test(core_without_interrupts),
		cmocka_unit_test(core_without_pmu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
