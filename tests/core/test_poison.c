/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Check that uninitialized memory never reaches user space. The stack, the core's scratch memory
 * and the rings are filled with a byte that no value contains twice in a row. All records and
 * counts are searched for this pattern, with every sample field, every read format and every other
 * record type.
 */
#include <string.h>

#include "core/minimal/mini.h"
#include "test.h"

enum { POISON = 0xa5, RING = 16 * 4096, RECORD_MAX = 4096 };

static struct mini mini;
static char long_name[RECORD_MAX];

/* Fill the part of the stack that the core's functions will use. */
__attribute__((noinline)) static void poison_stack(void)
{
	volatile char deep[32768];

	memset((void *)deep, POISON, sizeof(deep));
	__asm__ volatile("" : : "r"(deep) : "memory");
}

static int find_poison(const uint8_t *bytes, size_t len)
{
	for (size_t i = 1; i < len; i++) {
		if (bytes[i] == POISON && bytes[i - 1] == POISON)
			return (int)i;
	}
	return -1;
}

static int open_event(const struct perf_event_attr *attr, int group_fd)
{
	return mini_open(&mini, mini.tasks[0], attr, sizeof(*attr), -1, 0, group_fd, 0);
}

static void make_ring(int fd)
{
	struct tally_core_buffer *buffer;

	assert_int_equal(mini_mmap(&mini, mini.tasks[0], fd, 4096 + RING, true, &buffer), 0);
	memset(tally_core_buffer_page(buffer, 1), POISON, RING);
}

/* Fill the scratch memory for records by recording a mapping with a long name. Only the event of
 * scene_begin() receives the record. */
static void poison_scratch(void)
{
	const struct tally_core_mapping mapping = {.filename = long_name};

	mini.off++;
	tally_core_mapped(mini.core, &mini.tasks[0]->perf, &mapping, false);
	mini.off--;
}

static void scene_begin(void)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .mmap_data = 1};
	struct tally_core_settings settings;

	tally_core_settings_init(&settings);
	settings.record_max = RECORD_MAX;
	settings.max_sample_rate = UINT32_MAX;
	memset(long_name, POISON, sizeof(long_name) - 1);
	mini_begin(&mini, 1, &settings);
	mini.pmus[0].branches = PERF_SAMPLE_BRANCH_MAX - 1;
	mini_switch(&mini, mini.tasks[0]);
	make_ring(open_event(&attr, -1));
}

/* Check and consume everything that the event has written. Returns the number of bytes. */
static size_t check_ring(int fd, const char *what, uint64_t which)
{
	struct tally_core_buffer *buffer = mini.files[fd].mappings[0];
	struct perf_event_mmap_page *page = tally_core_buffer_page(buffer, 0);
	size_t len = page->data_head - page->data_tail;
	int at = find_poison((const uint8_t *)tally_core_buffer_page(buffer, 1) + page->data_tail,
			     len);

	if (at >= 0)
		fail_msg("%s %llx: byte %d of %zu was never written", what,
			 (unsigned long long)which, at, len);
	page->data_tail = page->data_head;
	return len;
}

/* ---- samples ---------------------------------------------------------------------------- */

static struct perf_event_attr attr_sample(uint64_t sample_type)
{
	return (struct perf_event_attr){
		.type = 10,
		.size = sizeof(struct perf_event_attr),
		.config = 1,
		.sample_period = 100,
		.sample_type = sample_type,
		.branch_sample_type = sample_type & PERF_SAMPLE_BRANCH_STACK
					      ? PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
							PERF_SAMPLE_BRANCH_HW_INDEX |
							PERF_SAMPLE_BRANCH_COUNTERS
					      : 0,
		.sample_regs_user = sample_type & PERF_SAMPLE_REGS_USER ? 0x81 : 0,
		.sample_regs_intr = sample_type & PERF_SAMPLE_REGS_INTR ? 0x7 : 0,
		.sample_stack_user = sample_type & PERF_SAMPLE_STACK_USER ? 72 : 0,
	};
}

/* Take one sample with branches, and one without any data. */
static void overflow_twice(void)
{
	static const struct perf_branch_entry branches[4];
	const struct tally_core_sample_data full = {
		.ip = 1, .mode = PERF_RECORD_MISC_USER, .branches = branches, .nr_branches = 4};
	const struct tally_core_sample_data empty = {.mode = PERF_RECORD_MISC_KERNEL};

	for (unsigned i = 0; i < 2; i++) {
		mini_count(&mini, 0, 100);
		poison_scratch();
		poison_stack();
		assert_true(mini_overflow(&mini, 0, i ? &empty : &full));
	}
}

/* Open an event and sample it. Returns false if the event cannot be opened. */
static bool check_sample(uint64_t sample_type)
{
	struct perf_event_attr attr = attr_sample(sample_type);
	int fd = open_event(&attr, -1);

	if (fd < 0)
		return false;
	make_ring(fd);
	overflow_twice();
	assert_true(check_ring(fd, "sample_type", sample_type) >= 16);
	mini_close(&mini, fd);
	return true;
}

/* Test each field alone, each pair of fields, and all compatible fields together. */
static void samples_contain_no_uninitialized_bytes(void **state)
{
	uint64_t all = 0;

	scene_begin();
	for (uint64_t a = 1; a < PERF_SAMPLE_MAX; a <<= 1) {
		all |= check_sample(a) ? a : 0;
		for (uint64_t b = 1; b < a; b <<= 1)
			check_sample(a | b);
	}
	assert_int_equal(all, PERF_SAMPLE_MAX - 1);
	assert_true(check_sample(all & ~(uint64_t)PERF_SAMPLE_WEIGHT_STRUCT));
	mini_end(&mini);
}

/* ---- counts ----------------------------------------------------------------------------- */

static void check_read(int fd, uint64_t format)
{
	uint8_t bytes[512];
	int64_t len;

	memset(bytes, POISON, sizeof(bytes));
	poison_stack();
	len = mini_read(&mini, fd, bytes, sizeof(bytes));
	assert_true(len >= 8);
	if (find_poison(bytes, (size_t)len) >= 0)
		fail_msg("read_format %llx: bytes were never written", (unsigned long long)format);
}

/* Test a format with a single event, a group and an inherited event, through read(2) and in a
 * sample. */
static void check_format(uint64_t format, bool inherit)
{
	struct perf_event_attr attr = attr_sample(PERF_SAMPLE_READ | PERF_SAMPLE_TID);
	int fds[3];

	attr.read_format = format;
	attr.inherit = inherit;
	for (unsigned i = 0; i < 3; i++) {
		fds[i] = open_event(&attr, i ? fds[0] : -1);
		if (fds[i] < 0)
			return;
	}
	make_ring(fds[0]);
	overflow_twice();
	assert_true(check_ring(fds[0], "read_format", format) >= 16);
	check_read(fds[0], format);
	check_read(fds[1], format);
	for (unsigned i = 3; i--;)
		mini_close(&mini, fds[i]);
}

static void counts_contain_no_uninitialized_bytes(void **state)
{
	scene_begin();
	for (uint64_t format = 0; format < PERF_FORMAT_MAX; format++) {
		check_format(format, false);
		check_format(format, true);
	}
	mini_end(&mini);
}

/* ---- other records ---------------------------------------------------------------------- */

/* Emit strings of all lengths modulo 8, each followed by bytes that do not belong to it. */
static void emit_strings(const char *text)
{
	const struct perf_ns_link_info links[7] = {{1, 2}};
	struct tally_core_task *task = &mini.tasks[0]->perf;
	struct tally_core_mapping mapping = {
		.executable = true, .build_id_size = 8, .filename = text};

	memset(mapping.build_id, 0x11, 8);
	memset(mapping.build_id + 8, POISON, 12);
	tally_core_comm(mini.core, task, text, true);
	tally_core_mapped(mini.core, task, &mapping, false);
	mapping.build_id_size = 0;
	tally_core_mapped(mini.core, task, &mapping, false);
	tally_core_ksymbol(mini.core, 1, 2, 0, false, text);
	tally_core_namespaces(mini.core, task, links, 7);
}

static void emit_all(int fd)
{
	for (unsigned len = 0; len < 9; len++) {
		char text[16];

		memset(text, POISON, sizeof(text));
		memset(text, 'x', len);
		text[len] = 0;
		poison_scratch();
		poison_stack();
		mini.off++;
		emit_strings(text);
		mini.off--;
		check_ring(fd, "records, string of", len);
	}
	mini_switch(&mini, NULL);
	mini_switch(&mini, mini.tasks[0]);
	poison_stack();
	mini_exit(&mini, mini_fork(&mini, mini.tasks[0], true));
	assert_true(check_ring(fd, "tasks and switches", 0) > 0);
}

static void check_records(struct perf_event_attr attr)
{
	int fd;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.comm = attr.comm_exec = attr.mmap = attr.task = attr.context_switch = 1;
	attr.ksymbol = attr.namespaces = 1;
	fd = open_event(&attr, -1);
	assert_true(fd >= 0);
	make_ring(fd);
	emit_all(fd);
	mini_close(&mini, fd);
}

static void sideband_records_contain_no_uninitialized_bytes(void **state)
{
	scene_begin();
	for (uint64_t a = 0; a < PERF_SAMPLE_MAX; a = a ? a << 1 : 1) {
		struct perf_event_attr attr = {.sample_type = a, .sample_id_all = 1};

		if (attr_sample(a).branch_sample_type || attr_sample(a).sample_stack_user ||
		    attr_sample(a).sample_regs_user || attr_sample(a).sample_regs_intr ||
		    a > PERF_SAMPLE_TRANSACTION)
			continue;
		check_records(attr);
		attr.mmap2 = 1;
		check_records(attr);
		attr.build_id = 1;
		attr.sample_type |= PERF_SAMPLE_TID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
		check_records(attr);
	}
	mini_end(&mini);
}

/* Check READ records written when a child exits, and LOST, THROTTLE and UNTHROTTLE records. */
static void read_lost_and_throttle_records_contain_no_uninitialized_bytes(void **state)
{
	struct perf_event_attr attr = attr_sample(PERF_SAMPLE_TID | PERF_SAMPLE_CPU);
	const struct tally_core_sample_data data = {.mode = PERF_RECORD_MISC_USER};
	int fd;

	scene_begin();
	tally_core_settings(mini.core)->max_sample_rate = 1;
	attr.sample_id_all = attr.inherit = attr.inherit_stat = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_ID | PERF_FORMAT_LOST;
	fd = mini_open(&mini, mini.tasks[0], &attr, sizeof(attr), mini.tasks[0]->perf.tid, 0, -1,
		       0);
	assert_true(fd >= 0);
	make_ring(fd);
	for (unsigned i = 0; i < 5; i++) {
		poison_scratch();
		poison_stack();
		mini_count(&mini, 0, 100);
		mini_overflow(&mini, 0, &data);
		poison_stack();
		mini_tick(&mini);
	}
	poison_stack();
	mini_exit(&mini, mini_fork(&mini, mini.tasks[0], true));
	assert_true(check_ring(fd, "throttled", 0) > 0);
	mini_end(&mini);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_contain_no_uninitialized_bytes),
		cmocka_unit_test(counts_contain_no_uninitialized_bytes),
		cmocka_unit_test(sideband_records_contain_no_uninitialized_bytes),
		cmocka_unit_test(read_lost_and_throttle_records_contain_no_uninitialized_bytes),
	};

	return cmocka_run_group_tests_name("core/poison", tests, NULL, NULL);
}
