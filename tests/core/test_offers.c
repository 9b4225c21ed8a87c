/* SPDX-License-Identifier: BSD-2-Clause */
/* Every bit of an attr is either implemented by the core, offered by the host, or rejected with the
 * name of its field. Tested on a host that offers everything and on a host that offers nothing. */
#include "abi/attr.h"
#include "abi/abi_record.h"
#include "scripts.h"

enum { BARE, FULL, NR_HOSTS };

/* Expected result of opening a sampling software event with one field set to `value`. Every field
 * of the attr has at least one row. */
struct row {
	const char *field;
	uint64_t value;
	int expected[NR_HOSTS];
};

#define DONE(field, value)    \
	{                     \
		field, value, \
		{             \
			0, 0  \
		}             \
	}
#define HOST(field, value)         \
	{                          \
		field, value,      \
		{                  \
			-EINVAL, 0 \
		}                  \
	}
#define REFUSED(field, value, code) \
	{                           \
		field, value,       \
		{                   \
			code, code  \
		}                   \
	}

static const struct row rows[] = {
	DONE("type", PERF_TYPE_SOFTWARE),
	DONE("size", PERF_ATTR_SIZE_VER9),
	DONE("config", PERF_COUNT_SW_DUMMY),
	DONE("sample_period", 7),
	DONE("sample_type", PERF_SAMPLE_IP),
	DONE("sample_type", PERF_SAMPLE_TID),
	DONE("sample_type", PERF_SAMPLE_TIME),
	DONE("sample_type", PERF_SAMPLE_ADDR),
	DONE("sample_type", PERF_SAMPLE_READ),
	DONE("sample_type", PERF_SAMPLE_CALLCHAIN),
	DONE("sample_type", PERF_SAMPLE_ID),
	DONE("sample_type", PERF_SAMPLE_CPU),
	DONE("sample_type", PERF_SAMPLE_PERIOD),
	DONE("sample_type", PERF_SAMPLE_STREAM_ID),
	DONE("sample_type", PERF_SAMPLE_RAW),
	REFUSED("sample_type", PERF_SAMPLE_BRANCH_STACK, -EINVAL), /* requires branch_sample_type */
	HOST("sample_type", PERF_SAMPLE_REGS_USER),
	HOST("sample_type", PERF_SAMPLE_STACK_USER),
	DONE("sample_type", PERF_SAMPLE_WEIGHT),
	DONE("sample_type", PERF_SAMPLE_DATA_SRC),
	DONE("sample_type", PERF_SAMPLE_IDENTIFIER),
	DONE("sample_type", PERF_SAMPLE_TRANSACTION),
	HOST("sample_type", PERF_SAMPLE_REGS_INTR),
	HOST("sample_type", PERF_SAMPLE_PHYS_ADDR),
	HOST("sample_type", PERF_SAMPLE_AUX),
	HOST("sample_type", PERF_SAMPLE_CGROUP),
	HOST("sample_type", PERF_SAMPLE_DATA_PAGE_SIZE),
	HOST("sample_type", PERF_SAMPLE_CODE_PAGE_SIZE),
	DONE("sample_type", PERF_SAMPLE_WEIGHT_STRUCT),
	REFUSED("sample_type", PERF_SAMPLE_MAX, -EINVAL),
	DONE("read_format", PERF_FORMAT_MAX - 1),
	REFUSED("read_format", PERF_FORMAT_MAX, -EINVAL),
	DONE("disabled", 1),
	DONE("inherit", 1),
	DONE("pinned", 1),
	DONE("exclusive", 1),
	DONE("exclude_user", 1),
	DONE("exclude_kernel", 1),
	DONE("exclude_hv", 1),
	DONE("exclude_idle", 1),
	DONE("mmap", 1),
	DONE("comm", 1),
	DONE("freq", 1),
	DONE("inherit_stat", 1),
	DONE("enable_on_exec", 1),
	DONE("task", 1),
	DONE("watermark", 1),
	DONE("precise_ip", 3), /* software events are always precise */
	DONE("mmap_data", 1),
	DONE("sample_id_all", 1),
	DONE("exclude_host", 1),
	DONE("exclude_guest", 1),
	DONE("exclude_callchain_kernel", 1),
	DONE("exclude_callchain_user", 1),
	DONE("mmap2", 1),
	DONE("comm_exec", 1),
	HOST("use_clockid", 1),
	DONE("context_switch", 1),
	DONE("write_backward", 1),
	DONE("namespaces", 1),
	DONE("ksymbol", 1),
	HOST("bpf_event", 1),
	REFUSED("aux_output", 1, -EOPNOTSUPP),
	HOST("cgroup", 1),
	HOST("text_poke", 1),
	DONE("build_id", 1),
	REFUSED("inherit_thread", 1, -EINVAL), /* requires inherit */
	DONE("remove_on_exec", 1),
	REFUSED("sigtrap", 1, -EINVAL), /* requires remove_on_exec */
	REFUSED("defer_callchain", 1, -EINVAL),
	REFUSED("defer_output", 1, -EINVAL),
	DONE("wakeup_events", 1),
	DONE("branch_sample_type", PERF_SAMPLE_BRANCH_ANY), /* ignored without BRANCH_STACK */
	DONE("sample_regs_user", 1),                        /* ignored without their sample_type
	                                                     * bits */
	DONE("sample_stack_user", 8),
	DONE("sample_regs_intr", 1),
	DONE("clockid", 1),
	DONE("sample_max_stack", 1),
	DONE("aux_watermark", 1), /* used only for AUX areas, which are rejected */
	DONE("bp_type", 1),       /* these five fields are interpreted by PMUs */
	DONE("config1", 1),
	DONE("config2", 1),
	DONE("config3", 1),
	DONE("config4", 1),
	REFUSED("sample_simd_regs_enabled", 1, -E2BIG),
	REFUSED("sample_simd_pred_reg_qwords", 1, -E2BIG),
	REFUSED("sample_simd_vec_reg_qwords", 1, -E2BIG),
	REFUSED("sample_simd_pred_reg_intr", 1, -E2BIG),
	REFUSED("sample_simd_pred_reg_user", 1, -E2BIG),
	REFUSED("sample_simd_vec_reg_intr", 1, -E2BIG),
	REFUSED("sample_simd_vec_reg_user", 1, -E2BIG),
	REFUSED("aux_sample_size", 8, -EINVAL),
	REFUSED("aux_action", 1, -EOPNOTSUPP),
	REFUSED("aux_action", 2, -EINVAL),
	REFUSED("aux_action", 4, -EINVAL),
	REFUSED("aux_action", 8, -EINVAL),
	DONE("sig_data", 1),
};

static const struct {
	unsigned long flags;
	int expected;
} flag_rows[] = {
	{PERF_FLAG_FD_NO_GROUP, 0}, {PERF_FLAG_FD_OUTPUT, 0},        /* ignored without a group */
	{PERF_FLAG_FD_CLOEXEC, 0},  {PERF_FLAG_PID_CGROUP, -EINVAL}, /* requires a CPU */
	{1 << 4, -EINVAL},          {1UL << 31, -EINVAL},
};

static void start(struct harness *harness, int host)
{
	harness_begin(harness, 1, &(struct tally_sim_config){.bare = host == BARE});
}

/* Return an attr for sampling page faults, with the other fields that sample_type requires. */
static struct perf_event_attr base_attr(uint64_t sample_type)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_regs_user = sample_type & PERF_SAMPLE_REGS_USER ? 1 : 0,
		.sample_regs_intr = sample_type & PERF_SAMPLE_REGS_INTR ? 1 : 0,
		.sample_stack_user = sample_type & PERF_SAMPLE_STACK_USER ? 64 : 0,
	};
}

static int open_here(struct harness *harness, struct perf_event_attr attr, unsigned long flags)
{
	int fd = tally_sim_open(harness->sim, harness->observer, &attr, 0, -1, -1, flags);

	if (fd >= 0)
		assert_int_equal(tally_sim_close(harness->sim, harness->observer, fd), 0);
	return fd < 0 ? fd : 0;
}

/* Check that the refusal names the field that was set, or the field that contains the bit that was
 * set. Members after the core's own attr size have no name to it. */
static void check_named(const struct harness *harness, const struct row *row)
{
	const char *field = tally_sim_refusal(harness->sim)->field;

	if (strncmp(row->field, "inherit_thread", 14) && strncmp(row->field, "defer_", 6) &&
	    strncmp(row->field, "aux_", 4) && strncmp(row->field, "sample_simd_", 12) &&
	    strcmp(row->field, "use_clockid") && strncmp(field, row->field, strlen(row->field)) &&
	    !(row->value & (PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_REGS_USER |
			    PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_STACK_USER)))
		fail_msg("%s: the refusal names %s", row->field, field);
}

static void every_bit_is_done_offered_or_rejected(void **state)
{
	for (int host = BARE; host < NR_HOSTS; host++) {
		struct harness harness;

		start(&harness, host);
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			const struct row *row = &rows[i];
			const struct tally_attr_field *field = tally_attr_find_field(row->field);
			bool samples = !strcmp(row->field, "sample_type");
			struct perf_event_attr attr = base_attr(samples ? row->value : 0);
			int got;

			assert_non_null(field);
			tally_attr_set(&attr, field, row->value);
			got = open_here(&harness, attr, 0);
			if (got != row->expected[host])
				fail_msg("host %d, %s %llx: %d", host, row->field,
					 (unsigned long long)row->value, got);
			if (got)
				check_named(&harness, row);
		}
		for (size_t i = 0; i < sizeof(flag_rows) / sizeof(flag_rows[0]); i++)
			assert_int_equal(open_here(&harness, base_attr(0), flag_rows[i].flags),
					 flag_rows[i].expected);
		harness_end(&harness);
	}
}

/* Check that there is a row for every field and for every bit of sample_type. */
static void every_field_and_bit_has_a_row(void **state)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < tally_attr_nr_fields; i++) {
		bool there = false;

		for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++)
			there |= !strcmp(rows[j].field, tally_attr_fields[i].name);
		if (!there)
			fail_msg("%s has no row", tally_attr_fields[i].name);
	}
	for (size_t j = 0; j < sizeof(rows) / sizeof(rows[0]); j++)
		bits |= strcmp(rows[j].field, "sample_type") ? 0 : rows[j].value;
	assert_int_equal(bits, PERF_SAMPLE_MAX * 2ull - 1);
}

/* The PMU decides which precision levels and which branch filters it supports. */
static void the_pmu_decides_about_branches_and_precision(void **state)
{
	struct tally_sim_pmu pmu = harness_pmu;
	struct perf_event_attr attr = attr_hw(SIM_CYCLES);
	struct harness harness;

	pmu.max_precise = 2;
	harness_begin(&harness, 1, &(struct tally_sim_config){.pmus = &pmu, .nr_pmus = 1});
	attr.sample_period = 1000;
	for (unsigned i = 0; i < 4; i++) {
		attr.precise_ip = i & 3;
		assert_int_equal(open_here(&harness, attr, 0), i > 2 ? -EOPNOTSUPP : 0);
	}
	assert_string_equal(tally_sim_refusal(harness.sim)->field, "precise_ip");
	attr.precise_ip = 0;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	for (unsigned bit = 3; bit < 20; bit++) {
		attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | 1ull << bit;
		assert_int_equal(open_here(&harness, attr, 0), -EOPNOTSUPP);
		assert_string_equal(tally_sim_refusal(harness.sim)->field, "branch_sample_type");
	}
	harness_end(&harness);
}

/* ---- offered features work -------------------------------------------------------------- */

static void fault_here(struct harness *harness, struct tally_sim_task *task)
{
	struct tally_sim_step fault = SIM_SOFTWARE(PERF_COUNT_SW_PAGE_FAULTS, 1);

	fault.software.ip = 0x401000;
	fault.software.addr = 0x10;
	assert_int_equal(tally_sim_execute(harness->sim, task, &fault), 0);
}

/* Test the fields alone and in combination with others, because they must be written no matter
 * which fields precede them. */
static void fields_of_the_host_are_sampled(void **state)
{
	static const uint64_t beside[] = {0, PERF_SAMPLE_IP, PERF_SAMPLE_CALLCHAIN};
	struct harness harness;
	struct tally_sim_task *task;

	start(&harness, FULL);
	task = harness_spawn(&harness, script_worker, 0);
	for (unsigned i = 0; i < 3; i++) {
		struct perf_event_attr attr = base_attr(0);
		struct tally_ring *ring;
		struct record record;
		int fd;

		attr.sample_type = PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | beside[i] |
				   PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE |
				   PERF_SAMPLE_AUX;
		fd = harness_open(&harness, attr, task, -1, -1);
		ring = harness_map(&harness, fd, 2);
		fault_here(&harness, task);
		assert_true(harness_record(ring, &attr, &record));
		assert_int_equal(record.sample.phys_addr, 0x10 ^ SIM_PHYSICAL);
		assert_int_equal(record.sample.cgroup, SIM_CGROUP + 1000);
		assert_int_equal(record.sample.data_page_size, 0);
		assert_int_equal(record.sample.code_page_size, 4096);
		assert_int_equal(record.sample.aux.len, 0);
		assert_false(harness_record(ring, &attr, &record));
		tally_ring_unmap(ring);
		harness_close(&harness, fd);
	}
	harness_end(&harness);
}

static const uint8_t before[3] = {1, 2, 3}, after[5] = {4, 5, 6, 7, 8};
static const uint8_t tag[8] = {0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4};

static void poke(struct tally_core *core)
{
	static const uint8_t huge[65536];

	tally_core_text_poke(core, 0xffffffff81000010, before, sizeof(before), after,
			     sizeof(after));
	/* A poke that is too long for a record, or too long for the field, produces no record and
	 * has no other effect. */
	tally_core_text_poke(core, 0, huge, 65535, huge, 65535);
	tally_core_text_poke(core, 0, huge, sizeof(huge), huge, 0);
}

static void bpf(struct tally_core *core)
{
	tally_core_bpf(core, PERF_BPF_EVENT_PROG_LOAD, 77, tag);
}

static void cgroup(struct tally_core *core)
{
	tally_core_cgroup(core, 0x123456789, "/system.slice/x");
}

static void check_poke(const uint8_t *body)
{
	static const uint8_t bytes[] = {0x10, 0, 0, 0x81, 0xff, 0xff, 0xff, 0xff, 3, 0,
					5,    0, 1, 2,    3,    4,    5,    6,    7, 8};

	assert_memory_equal(body, bytes, sizeof(bytes));
}

static void check_bpf(const uint8_t *body)
{
	static const uint8_t bytes[] = {1,    0,    0,    0,    77, 0, 0, 0,
					0xde, 0xad, 0xbe, 0xef, 1,  2, 3, 4};

	assert_memory_equal(body, bytes, sizeof(bytes));
}

static void check_cgroup(const uint8_t *body)
{
	static const uint8_t id[] = {0x89, 0x67, 0x45, 0x23, 1, 0, 0, 0};

	assert_memory_equal(body, id, sizeof(id));
	assert_string_equal((const char *)body + 8, "/system.slice/x");
}

static const struct {
	const char *field;
	void (*hook)(struct tally_core *core);
	uint32_t type;
	uint16_t misc, size; /* size: header, body and padding, without the 16-byte trailer */
	void (*look)(const uint8_t *body);
} told[] = {
	{"text_poke", poke, PERF_RECORD_TEXT_POKE, PERF_RECORD_MISC_KERNEL, 32, check_poke},
	{"bpf_event", bpf, PERF_RECORD_BPF_EVENT, 0, 24, check_bpf},
	{"cgroup", cgroup, PERF_RECORD_CGROUP, 0, 32, check_cgroup},
};

static void run_hook(struct tally_sim *sim, struct tally_sim_task *task, void *arg)
{
	void (*const *hook)(struct tally_core * core) = arg;

	(*hook)(tally_sim_core(sim));
}

/* Only events that request the record receive it. */
static void records_of_the_host_reach_their_events_only(void **state)
{
	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		struct harness harness;

		start(&harness, FULL);
		for (size_t j = 0; j < sizeof(told) / sizeof(told[0]); j++) {
			struct perf_event_attr attr = base_attr(0);
			struct tally_sim_step step =
				SIM_CALL(run_hook, (void *)(uintptr_t)&told[i].hook);
			struct tally_ring *ring;
			struct record record;
			int fd;

			tally_attr_set(&attr, tally_attr_find_field(told[j].field), 1);
			attr.sample_id_all = 1;
			attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
			fd = harness_open(&harness, attr, harness.observer, -1, -1);
			ring = harness_map(&harness, fd, 32);
			assert_int_equal(tally_sim_execute(harness.sim, harness.observer, &step),
					 0);
			assert_int_equal(harness_record(ring, &attr, &record), i == j);
			if (i == j) {
				assert_int_equal(record.header->type, told[i].type);
				assert_int_equal(record.header->misc, told[i].misc);
				assert_int_equal(record.header->size, told[i].size + 16);
				told[i].look((const uint8_t *)(record.header + 1));
				assert_int_equal(record.sample.tid,
						 tally_sim_task_tid(harness.observer));
			}
			tally_ring_unmap(ring);
			harness_close(&harness, fd);
		}
		harness_end(&harness);
	}
}

/* Page sizes that are invalid or too small are rejected. */
static void invalid_page_sizes_are_rejected(void **state)
{
	static const struct {
		size_t size;
		int expected;
	} sizes[] = {{0, -EINVAL}, {64, -EINVAL},   {256, -EINVAL}, {512, 0},
		     {1024, 0},    {3000, -EINVAL}, {65536, 0}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct harness harness;
		struct tally_host_ops ops;
		struct tally_core *core = NULL;

		start(&harness, FULL);
		ops = *tally_sim_ops(harness.sim);
		ops.page_size = sizes[i].size;
		assert_int_equal(tally_core_create(&ops, harness.sim, 1, NULL, &core),
				 sizes[i].expected);
		assert_int_equal(core != NULL, !sizes[i].expected);
		tally_core_destroy(core);
		harness_end(&harness);
	}
}

static int pmu_init_answer, pmu_init_calls;

static int pmu_init(struct tally_core *core, void *host)
{
	pmu_init_calls++;
	assert_non_null(tally_core_settings(core));
	return pmu_init_answer;
}

/* PMUs are registered by a host operation, so the linker cannot omit the registration. A host that
 * relies on overriding the weak function gets -ENXIO if the override was not linked. */
static void pmus_are_registered_by_the_host_operation(void **state)
{
	struct harness harness;
	struct tally_host_ops ops;
	struct tally_core *core = NULL;

	start(&harness, FULL);
	ops = *tally_sim_ops(harness.sim);
	ops.offers |= TALLY_HOST_PMU_INIT;
	assert_int_equal(tally_core_create(&ops, harness.sim, 1, NULL, &core), -ENXIO);
	ops.pmu_init = pmu_init;
	assert_int_equal(tally_core_create(&ops, harness.sim, 1, NULL, &core), 0);
	tally_core_destroy(core);
	pmu_init_answer = -ENODEV;
	assert_int_equal(tally_core_create(&ops, harness.sim, 1, NULL, &core), -ENODEV);
	assert_int_equal(pmu_init_calls, 2);
	/* Without a PMU, hardware events are rejected with this reason. */
	assert_int_equal(open_here(&harness, attr_hw(SIM_CYCLES), 0), -ENOENT);
	assert_string_equal(tally_sim_refusal(harness.sim)->rule, "the host has registered no PMU");
	harness_end(&harness);
	harness_begin(&harness, 1, NULL);
	assert_int_equal(open_here(&harness, (struct perf_event_attr){.type = 99, .size = 64}, 0),
			 -ENOENT);
	assert_string_equal(tally_sim_refusal(harness.sim)->rule, "no PMU supports this event");
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bit_is_done_offered_or_rejected),
		cmocka_unit_test(every_field_and_bit_has_a_row),
		cmocka_unit_test(the_pmu_decides_about_branches_and_precision),
		cmocka_unit_test(fields_of_the_host_are_sampled),
		cmocka_unit_test(records_of_the_host_reach_their_events_only),
		cmocka_unit_test(invalid_page_sizes_are_rejected),
		cmocka_unit_test(pmus_are_registered_by_the_host_operation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
