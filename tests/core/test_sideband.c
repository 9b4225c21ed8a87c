/* SPDX-License-Identifier: BSD-2-Clause */
/* Task sideband records: types, order and contents. */
#include "abi/abi_record.h"
#include "scripts.h"

static const struct tally_core_mapping text = {.addr = 0x400000,
					       .len = 0x2000,
					       .pgoff = 0x1000,
					       .maj = 8,
					       .min = 1,
					       .ino = 77,
					       .ino_generation = 3,
					       .prot = 5,
					       .flags = 2,
					       .executable = true,
					       .filename = "/usr/bin/true"};
static const struct tally_core_mapping data = {
	.addr = 0x600000, .len = 0x1000, .prot = 3, .flags = 2, .filename = "/usr/bin/true"};
static const struct tally_core_mapping with_id = {.addr = 0x700000,
						  .len = 0x1000,
						  .prot = 5,
						  .executable = true,
						  .build_id_size = 20,
						  .build_id = {0xde, 0xad},
						  .filename = "libc"};
static const struct perf_ns_link_info links[7] = {{4, 1}, {4, 2}, {4, 3}, {4, 4},
						  {4, 5}, {4, 6}, {4, 7}};

static const struct tally_sim_step child[] = {SIM_COMM("kid"), SIM_RUN(SIM_USER, 10 * US, NULL),
					      SIM_MAP(&text), SIM_EXIT()};
static const struct tally_sim_step script[] = {
	SIM_RUN(SIM_USER, 10 * US, NULL),
	SIM_COMM("renamed"),
	SIM_EXEC("true"),
	SIM_MAP(&text),
	SIM_MAP(&data),
	SIM_MAP(&with_id),
	SIM_NAMESPACES(links),
	SIM_FORK(child),
	SIM_RUN(SIM_USER, 30 * US, NULL),
	SIM_UNMAP(&text),
	SIM_SLEEP(100 * US),
	SIM_EXIT(),
};

/* Return a letter that represents a record's type and options. */
static char letter(const struct perf_event_header *header)
{
	static const char letters[PERF_RECORD_MAX] = {[PERF_RECORD_MMAP] = 'm',
						      [PERF_RECORD_COMM] = 'c',
						      [PERF_RECORD_EXIT] = 'x',
						      [PERF_RECORD_FORK] = 'f',
						      [PERF_RECORD_MMAP2] = 'M',
						      [PERF_RECORD_SWITCH] = 's',
						      [PERF_RECORD_SWITCH_CPU_WIDE] = 'w',
						      [PERF_RECORD_NAMESPACES] = 'n',
						      [PERF_RECORD_SAMPLE] = 'p',
						      [PERF_RECORD_LOST] = 'L'};

	return header->type < PERF_RECORD_MAX && letters[header->type] ? letters[header->type]
								       : '?';
}

/* Run a task with an event that has these options, and return the event's records as letters, in
 * ring order. */
static void record_letters(struct perf_event_attr attr, bool on_cpu, char *ret_story,
			   void (*look)(const struct record *record, struct harness *harness))
{
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;
	uint64_t last = 0;

	attr.sample_id_all = 1;
	attr.sample_type |= PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	harness_begin(&harness, 1, &(struct tally_sim_config){0});
	task = harness_spawn(&harness, script, 0);
	tally_sim_run(harness.sim, 1 * US);
	ring = harness_map(&harness, harness_open(&harness, attr, on_cpu ? NULL : task, 0, -1), 16);
	tally_sim_run(harness.sim, MS);
	for (size_t n = 0; harness_record(ring, &attr, &record); n++) {
		assert_true(record.sample.time >= last);
		last = record.sample.time;
		assert_int_equal(record.sample.cpu, 0);
		if (look)
			look(&record, &harness);
		ret_story[n] = letter(record.header);
		ret_story[n + 1] = 0;
	}
	tally_ring_unmap(ring);
	harness_end(&harness);
}

static struct perf_event_attr dummy(void)
{
	struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_DUMMY);

	attr.sample_period = 1;
	return attr;
}

/* Each option adds its records and no others. Events that record comms or mappings also record
 * forks and exits. */
static void each_option_adds_its_records(void **state)
{
	static const struct {
		struct perf_event_attr options;
		const char *story;
	} rows[] = {
		{{0}, ""},
		{{.comm = 1}, "ccfx"},
		{{.comm = 1, .inherit = 1}, "ccfcxx"},
		{{.mmap = 1}, "mmfx"},
		{{.mmap = 1, .mmap_data = 1}, "mmmfx"},
		{{.mmap = 1, .mmap2 = 1}, "MMfx"},
		{{.mmap2 = 1}, "MMfx"},
		{{.mmap_data = 1}, "mfx"},
		{{.task = 1}, "fx"},
		{{.task = 1, .inherit = 1}, "fxx"},
		{{.namespaces = 1}, "n"},
		{{.comm = 1, .mmap = 1, .task = 1, .namespaces = 1, .inherit = 1}, "ccmmnfcmxx"},
		{{.context_switch = 1}, "ss"},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct perf_event_attr attr = dummy(), options = rows[i].options;
		char got[64] = "";

		attr.comm = options.comm;
		attr.mmap = options.mmap;
		attr.mmap2 = options.mmap2;
		attr.mmap_data = options.mmap_data;
		attr.task = options.task;
		attr.inherit = options.inherit;
		attr.namespaces = options.namespaces;
		attr.context_switch = options.context_switch;
		record_letters(attr, false, got, NULL);
		if (strcmp(got, rows[i].story))
			fail_msg("row %u: %s, not %s", i, got, rows[i].story);
	}
}

/* A CPU event records all tasks that run on the CPU. */
static void a_cpu_event_records_all_tasks(void **state)
{
	struct perf_event_attr attr = dummy();
	char got[64] = "";

	attr.comm = attr.mmap = attr.task = 1;
	record_letters(attr, true, got, NULL);
	assert_string_equal(got, "ccmmfcmxx");
}

static void check_mmap2(const struct record *record, struct harness *harness)
{
	const struct tally_sim_task *task = tally_sim_task_at(harness->sim, 1);
	struct tally_mmap mmap;

	if (record->header->type != PERF_RECORD_MMAP2)
		return;
	assert_int_equal(tally_record_mmap(record->header, record->header->size, &mmap), 0);
	assert_int_equal(mmap.pid, tally_sim_task_pid(task));
	assert_int_equal(mmap.tid, record->sample.tid);
	if (mmap.start == text.addr) {
		assert_int_equal(mmap.len, text.len);
		assert_int_equal(mmap.pgoff, text.pgoff);
		assert_int_equal(mmap.maj, text.maj);
		assert_int_equal(mmap.ino, text.ino);
		assert_int_equal(mmap.ino_generation, text.ino_generation);
		assert_int_equal(mmap.prot, text.prot);
		assert_int_equal(mmap.flags, text.flags);
		assert_string_equal(mmap.filename, text.filename);
	} else if (mmap.start == with_id.addr) {
		assert_int_equal(mmap.build_id_size, 20);
		assert_memory_equal(mmap.build_id, with_id.build_id, 20);
	} else {
		assert_int_equal(mmap.start, data.addr);
		assert_true(record->header->misc & PERF_RECORD_MISC_MMAP_DATA);
	}
}

static void mmap2_records_describe_the_mapping(void **state)
{
	struct perf_event_attr attr = dummy();
	char got[64] = "";

	attr.mmap = attr.mmap2 = attr.mmap_data = attr.build_id = 1;
	record_letters(attr, false, got, check_mmap2);
	assert_string_equal(got, "MMMfx");
}

static void check_comm(const struct record *record, struct harness *harness)
{
	static const struct {
		const char *comm;
		bool exec;
	} comms[] = {{"renamed", false}, {"true", true}, {"kid", false}};
	struct tally_comm comm;
	unsigned i = 0;

	if (record->header->type != PERF_RECORD_COMM)
		return;
	assert_int_equal(tally_record_comm(record->header, record->header->size, &comm), 0);
	while (i < 2 && strcmp(comms[i].comm, comm.comm))
		i++;
	assert_string_equal(comm.comm, comms[i].comm);
	assert_int_equal(comm.exec, comms[i].exec);
}

static void comm_records_follow_the_task_and_its_children(void **state)
{
	struct perf_event_attr attr = dummy();
	char got[64] = "";

	attr.comm = attr.comm_exec = attr.inherit = 1;
	record_letters(attr, false, got, check_comm);
	assert_string_equal(got, "ccfcxx");
}

static void check_task_record(const struct record *record, struct harness *harness)
{
	struct tally_sim_task *parent = tally_sim_task_at(harness->sim, 1),
			      *kid = tally_sim_task_at(harness->sim, 2);
	struct tally_task task;

	assert_int_equal(tally_record_task(record->header, record->header->size, &task), 0);
	assert_int_equal(task.time, record->sample.time);
	if (record->header->type == PERF_RECORD_FORK || task.tid == tally_sim_task_tid(kid)) {
		assert_int_equal(task.tid, tally_sim_task_tid(kid));
		assert_int_equal(task.pid, tally_sim_task_pid(kid));
		assert_int_equal(task.ptid, tally_sim_task_tid(parent));
		assert_int_equal(task.ppid, tally_sim_task_pid(parent));
	} else {
		assert_int_equal(task.tid, tally_sim_task_tid(parent));
	}
}

static void fork_and_exit_records_name_task_and_parent(void **state)
{
	struct perf_event_attr attr = dummy();
	char got[64] = "";

	attr.task = attr.inherit = 1;
	record_letters(attr, false, got, check_task_record);
	assert_string_equal(got, "fxx");
}

/* A CPU's switch records alternate between out and in, and contain the next or previous task. */
static void switch_records_alternate(void **state)
{
	struct perf_event_attr attr = dummy();
	struct tally_sim_config config = {.quantum_ns = 50 * US};
	struct harness harness;
	struct tally_sim_task *tasks[2];
	struct tally_ring *ring;
	struct record record;
	unsigned outs = 0, ins = 0, preempted = 0;

	attr.context_switch = attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	harness_begin(&harness, 1, &config);
	for (unsigned i = 0; i < 2; i++)
		tasks[i] = harness_spawn(&harness, script_hog, 0);
	ring = harness_map(&harness, harness_open(&harness, attr, NULL, 0, -1), 16);
	tally_sim_run(harness.sim, MS);
	while (harness_record(ring, &attr, &record)) {
		uint32_t other[2];
		bool out = record.header->misc & PERF_RECORD_MISC_SWITCH_OUT;

		assert_int_equal(record.header->type, PERF_RECORD_SWITCH_CPU_WIDE);
		memcpy(other, record.header + 1, sizeof(other));
		assert_true((int32_t)other[1] == tally_sim_task_tid(tasks[0]) ||
			    (int32_t)other[1] == tally_sim_task_tid(tasks[1]));
		assert_int_not_equal(other[1], record.sample.tid);
		preempted += !!(record.header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
		outs += out;
		ins += !out;
	}
	assert_int_equal(outs, 20);
	assert_int_equal(ins, outs);
	assert_int_equal(preempted, outs);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Kernel symbols are recorded for all events that request them. */
static void ksymbols_reach_all_events_that_request_them(void **state)
{
	struct perf_event_attr attr = dummy();
	struct harness harness;
	struct tally_ring *ring;
	struct record record;

	attr.ksymbol = 1;
	harness_begin(&harness, 1, NULL);
	ring = harness_map(&harness, harness_open(&harness, attr, NULL, 0, -1), 4);
	tally_sim_run(harness.sim, MS);
	tally_sim_ksymbol(harness.sim, 0, 0xffffffffa0000000, 0x100, 1, false, "bpf_prog");
	assert_true(harness_record(ring, &attr, &record));
	assert_int_equal(record.header->type, PERF_RECORD_KSYMBOL);
	assert_memory_equal((const char *)(record.header + 1) + 16, "bpf_prog", 9);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

/* Records and their trailers contain the IDs as seen in the opener's pid namespace. */
static void ids_are_those_in_the_openers_namespace(void **state)
{
	enum { SEEN_LESS = 90 };
	struct perf_event_attr attr = attr_sw(PERF_COUNT_SW_DUMMY);
	struct harness harness;
	struct tally_sim_task *task;
	struct tally_ring *ring;
	struct record record;
	int32_t tid;
	int nr = 0;

	attr.comm = attr.task = attr.mmap2 = attr.namespaces = attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_TID;
	harness_begin(&harness, 1, NULL);
	task = harness_spawn(&harness, script, 0);
	tid = tally_sim_task_tid(task) - SEEN_LESS;
	tally_sim_task_perf(harness.observer)->viewer = (void *)(uintptr_t)SEEN_LESS;
	tally_sim_run(harness.sim, 1 * US);
	ring = harness_map(&harness, harness_open(&harness, attr, task, -1, -1), 16);
	tally_sim_run(harness.sim, MS);
	while (harness_record(ring, &attr, &record)) {
		int32_t pair[4];

		memcpy(pair, record.header + 1, sizeof(pair));
		assert_int_equal(record.sample.pid, record.sample.tid == -1 ? -1 : tid);
		if (record.header->type == PERF_RECORD_FORK) {
			assert_int_equal(pair[1], tid);
			assert_int_equal(pair[3], tid);
			assert_int_equal(pair[0], tid + 1);
		} else {
			assert_int_equal(pair[0], tid);
		}
		nr++;
	}
	assert_in_range(nr, 7, 12);
	tally_ring_unmap(ring);
	harness_end(&harness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_option_adds_its_records),
		cmocka_unit_test(a_cpu_event_records_all_tasks),
		cmocka_unit_test(mmap2_records_describe_the_mapping),
		cmocka_unit_test(comm_records_follow_the_task_and_its_children),
		cmocka_unit_test(fork_and_exit_records_name_task_and_parent),
		cmocka_unit_test(switch_records_alternate),
		cmocka_unit_test(ids_are_those_in_the_openers_namespace),
		cmocka_unit_test(ksymbols_reach_all_events_that_request_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
