/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output of tally stat for generated counts, including events that this machine does not support.
 * Each table in each format is compared with a file in golden/stat. Set TALLY_UPDATE_GOLDEN=1 to
 * update the files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "base/file.h"
#include "cli/stat/stat_table.h"

#include <cmocka.h>

#define HW(name, event)                                                       \
	{                                                                     \
		{.attr = {.type = PERF_TYPE_HARDWARE, .config = event}}, name \
	}
#define SW(name, event)                                                       \
	{                                                                     \
		{.attr = {.type = PERF_TYPE_SOFTWARE, .config = event}}, name \
	}
#define CACHE_READ(name, cache, result)                                                            \
	{                                                                                          \
		{.attr = {.type = PERF_TYPE_HW_CACHE,                                              \
			  .config = (cache) | PERF_COUNT_HW_CACHE_OP_READ << 8 | (result) << 16}}, \
			name                                                                       \
	}

struct event {
	struct tally_event_spec spec;
	const char *name;
};

static const struct event pmu_events[] = {
	SW("task-clock", PERF_COUNT_SW_TASK_CLOCK),
	SW("context-switches", PERF_COUNT_SW_CONTEXT_SWITCHES),
	HW("cycles", PERF_COUNT_HW_CPU_CYCLES),
	HW("stalled-cycles-frontend", PERF_COUNT_HW_STALLED_CYCLES_FRONTEND),
	HW("instructions", PERF_COUNT_HW_INSTRUCTIONS),
	HW("branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS),
	HW("branch-misses", PERF_COUNT_HW_BRANCH_MISSES),
	CACHE_READ("L1-dcache-loads", PERF_COUNT_HW_CACHE_L1D, PERF_COUNT_HW_CACHE_RESULT_ACCESS),
	CACHE_READ("L1-dcache-load-misses", PERF_COUNT_HW_CACHE_L1D,
		   PERF_COUNT_HW_CACHE_RESULT_MISS),
	{{.attr = {.type = 20, .config = 2},
	  .unit = "Joules",
	  .scale = 2.3283064365386962890625e-10},
	 "power/energy-pkg/"},
	{{.tool = TALLY_TOOL_DURATION_TIME}, "duration_time"},
};

enum { NR_EVENTS = TALLY_ARRAY_SIZE(pmu_events), MAX_KEYS = 3 };

/* The events' counts and times. */
static const struct {
	uint64_t value, enabled, running;
	enum tally_quality quality;
} counted[NR_EVENTS] = {
	{1234567890, 1234567890, 1234567890, TALLY_QUALITY_EXACT},
	{41, 1234567890, 1234567890, TALLY_QUALITY_EXACT},
	{3000000000, 1234567890, 925925917, TALLY_QUALITY_SCALED},
	{500000000, 1234567890, 1234567890, TALLY_QUALITY_EXACT},
	{6000000000, 1234567890, 1234567890, TALLY_QUALITY_EXACT},
	{1000000000, 1234567890, 1234567890, TALLY_QUALITY_EXACT},
	{12345678, 1234567890, 1234567890, TALLY_QUALITY_EXACT},
	{0, 1234567890, 0, TALLY_QUALITY_NEVER_RAN},
	{0, 0, 0, TALLY_QUALITY_NOT_SUPPORTED},
	{18446744073, 1234567890, 1234567890, TALLY_QUALITY_EXACT},
	{1300000000, 1300000000, 1300000000, TALLY_QUALITY_EXACT},
};

static const struct tally_refusal no_pmu = {
	.code = -2,
	.rule = "no PMU on this system counts this event",
	.fix = {"use software events"},
};

struct made_up {
	struct stat_row rows[NR_EVENTS];
	struct stat_key keys[MAX_KEYS];
	struct stat_cell cells[NR_EVENTS * MAX_KEYS];
	struct stat_table table;
};

/* Fill in a table. The counts for key k are k + 1 times the counts for the first key. */
static void make_up(struct made_up *made, enum stat_aggr mode, size_t nr_keys)
{
	*made = (struct made_up){{{0}}};
	for (size_t i = 0; i < NR_EVENTS; i++) {
		made->rows[i] = (struct stat_row){
			.spec = &pmu_events[i].spec, .name = pmu_events[i].name, .event = i};
		for (size_t k = 0; k < nr_keys; k++) {
			struct stat_cell *cell = &made->cells[i * nr_keys + k];

			cell->count = (struct tally_count){
				counted[i].value * (k + 1), counted[i].enabled * (k + 1),
				counted[i].running * (k + 1), 0, counted[i].quality};
			cell->value = tally_count_scaled(&cell->count);
			cell->mean = (double)cell->value;
			/* Time is measured only for the first key. */
			cell->nr = k && pmu_events[i].spec.tool ? 0 : 2;
		}
	}
	made->rows[2].name = "cycles:u";
	made->rows[2].fallback = TALLY_FALLBACK_NO_KERNEL;
	made->rows[8].refusal = &no_pmu;
	for (size_t k = 0; k < nr_keys; k++)
		made->keys[k] = (struct stat_key)STAT_KEY_NONE;
	made->table = (struct stat_table){
		.mode = &stat_modes[mode],
		.rows = made->rows,
		.keys = made->keys,
		.cells = made->cells,
		.nr_rows = NR_EVENTS,
		.nr_keys = nr_keys,
		.title = "'a \"command\"'",
		.via = "kernel",
		.has_user = true,
		.times = {1300000000, 1100000000, 134567000},
	};
}

/* ---- golden files --------------------------------------------------------- */

static const struct {
	const char *name;
	const struct stat_format *format;
	const char *separator, *thousands;
} formats[] = {
	{"text", &stat_format_text, NULL, ""}, {"big.text", &stat_format_text, NULL, ","},
	{"csv", &stat_format_csv, ";", ""},    {"perf.json", &stat_format_perf_json, NULL, ""},
	{"json", &stat_format_json, NULL, ""},
};

static void write_file(const char *path, const struct tally_str *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(text->data, 1, text->len, file), text->len);
	assert_int_equal(fclose(file), 0);
}

static void check_golden(const struct made_up *made, const char *name)
{
	for (size_t i = 0; i < TALLY_ARRAY_SIZE(formats); i++) {
		struct stat_printer printer = {
			.format = formats[i].format,
			.separator = formats[i].separator,
			.thousands = formats[i].thousands,
		};
		char path[512], *want;
		size_t len;

		assert_int_equal(stat_print(&printer, &made->table), 0);
		snprintf(path, sizeof(path), "%s/%s.%s", GOLDEN_DIR, name, formats[i].name);
		if (getenv("TALLY_UPDATE_GOLDEN"))
			write_file(path, &printer.out);
		assert_int_equal(tally_file_read(path, 1 << 20, &want, &len), 0);
		assert_string_equal(tally_str_text(&printer.out), want);
		free(want);
		stat_printer_free(&printer);
	}
}

/* ---- tables --------------------------------------------------------------- */

static void one_run(void **state)
{
	struct made_up made;

	make_up(&made, STAT_AGGR_ALL, 1);
	check_golden(&made, "one-run");
}

static void several_runs(void **state)
{
	static const uint64_t walls[] = {1290000000, 1300000000, 1310000000};
	struct made_up made;

	make_up(&made, STAT_AGGR_ALL, 1);
	made.table.per_run = made.table.list_runs = true;
	made.table.runs = (struct stat_runs){3, 1.3e9, 5773502.69, walls};
	made.cells[0].deviation = 1.5;
	made.cells[4].deviation = 123.456;
	check_golden(&made, "several-runs");
}

static void cpus_in_intervals(void **state)
{
	struct made_up made;

	make_up(&made, STAT_AGGR_CPU, 2);
	made.keys[0].cpu = 0;
	made.keys[1].cpu = 12;
	made.table.interval = true;
	made.table.has_user = false;
	made.table.at = 1000000042;
	check_golden(&made, "cpus-interval");
}

static void cores_of_a_cgroup(void **state)
{
	struct made_up made;

	make_up(&made, STAT_AGGR_CORE, 2);
	made.keys[0] = (struct stat_key){0, 0, 0, -1, -1, -1, -1, -1, -1, ""};
	made.keys[1] = (struct stat_key){10, 1, 63, -1, -1, -1, -1, -1, -1, ""};
	made.table.has_user = false;
	for (size_t i = 0; i < NR_EVENTS; i++)
		made.rows[i].cgroup = "system.slice";
	check_golden(&made, "cores-cgroup");
}

static void threads_by_value(void **state)
{
	struct made_up made;

	make_up(&made, STAT_AGGR_THREAD, 3);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {"a", "quote\"d", "a-name-of-many-characters"};

		made.keys[i].tid = 7 + 1000 * i;
		snprintf(made.keys[i].comm, sizeof(made.keys[i].comm), "%s", names[i]);
	}
	made.table.by_value = true;
	made.table.has_user = false;
	check_golden(&made, "threads");
}

static void summary_of_sockets(void **state)
{
	struct made_up made;

	make_up(&made, STAT_AGGR_SOCKET, 1);
	made.keys[0].socket = 3;
	made.table.summary = true;
	made.table.has_user = false;
	check_golden(&made, "sockets-summary");
}

static void header_again_after_25_intervals(void **state)
{
	struct stat_printer printer = {.format = &stat_format_text, .thousands = ""};
	struct made_up made;
	int headers = 0;

	make_up(&made, STAT_AGGR_ALL, 1);
	made.table.interval = true;
	for (int i = 0; i < 51; i++)
		assert_int_equal(stat_print(&printer, &made.table), 0);
	for (const char *at = printer.out.data; (at = strchr(at, '#')); at++)
		headers += !strncmp(at, "#           time", 16);
	assert_int_equal(headers, 3);
	stat_printer_free(&printer);
}

/* The largest counts are printed with all digits in all machine-readable formats. */
static void large_counts_stay_whole(void **state)
{
	struct made_up made;

	for (size_t i = 2; i < TALLY_ARRAY_SIZE(formats); i++) {
		struct stat_printer printer = {
			.format = formats[i].format, .separator = ",", .thousands = ""};

		make_up(&made, STAT_AGGR_ALL, 1);
		made.cells[1].count.value = made.cells[1].value = UINT64_MAX;
		assert_int_equal(stat_print(&printer, &made.table), 0);
		assert_non_null(strstr(printer.out.data, "18446744073709551615"));
		stat_printer_free(&printer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_run),
		cmocka_unit_test(several_runs),
		cmocka_unit_test(cpus_in_intervals),
		cmocka_unit_test(cores_of_a_cgroup),
		cmocka_unit_test(threads_by_value),
		cmocka_unit_test(summary_of_sockets),
		cmocka_unit_test(header_again_after_25_intervals),
		cmocka_unit_test(large_counts_stay_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
